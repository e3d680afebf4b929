'use strict';
// Runs an effect whose time has come: at rest, one at a time.

const { messageOf } = require('../base/errors.js');
const { keys } = require('../store/keys.js');

/**
 * @param {import('../parts.js').Store} store
 * @param {string} id the thread's
 * @returns {Promise<any>} the effect whose time came first, if there is one
 */
async function findDueEffect(store, id) {
  const now = store.now();
  return (await store.list(`effect/${id}/`))
    .map(({ value }) => value)
    .filter((one) => ['pending', 'processing'].includes(one.status) && one.scheduledAt <= now)
    .sort((a, b) => a.scheduledAt - b.scheduledAt)[0];
}

/**
 * @param {import('../parts.js').Flow} flow
 * @returns {Promise<boolean>} whether there was one
 */
async function runDueEffect(flow) {
  const { store, library, events } = flow.parts;
  const due = await findDueEffect(store, flow.id);
  if (due === undefined) return false;

  const place = keys.effect(flow.id, due.id);
  const begun = { ...due, status: 'processing', attempts: due.attempts + 1 };
  const isStill = await flow.write(
    ({ values: [current], batch }) => {
      if (!['pending', 'processing'].includes(current?.status)) return false;
      batch.put(place, begun);
      return true;
    },
    [place],
  );
  if (!isStill) return true;

  const error = await attempt(flow, library.effects.get(due.name), begun);
  await flow.write(({ batch, tick }) => {
    const status = error === null ? 'completed' : 'failed';
    batch.put(place, { ...begun, status, error, completedAt: tick() });
    batch.delete(keys.due(due.scheduledAt, flow.id, due.id));
  });
  events.emit('event', {
    threadId: flow.id,
    eventType: 'effect_changed',
    data: { id: due.id },
    timestamp: Date.now(),
  });
  return true;
}

/**
 * @param {import('../parts.js').Flow} flow
 * @param {any} effect
 * @param {any} run
 * @returns {Promise<string | null>} what went wrong
 */
async function attempt(flow, effect, run) {
  if (effect === undefined) return `There is no effect '${run.name}' any more`;
  try {
    const schema = flow.parts.library.schemaOf(effect.schema, run.name);
    const checked = schema === undefined ? undefined : await schema.check(run.args, 'args');
    if (checked?.ok === false) return `The arguments are not valid: ${checked.reason}`;
    const marks = { scheduledEffect: { id: run.id, name: run.name } };
    const state = await flow.parts.state(flow.id, { token: flow.token, marks });
    await effect.execute(state, checked === undefined ? run.args : checked.value);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

module.exports = { findDueEffect, runDueEffect };
