'use strict';
// Scheduled effects: work for a later time, kept in the store. An effect runs at least once; its id stays the same.

const { randomUUID } = require('node:crypto');

const { checkNumber } = require('../../checks/options.js');
const { ThreadError } = require('../base/errors.js');
const { keys } = require('../store/keys.js');
const { toJson } = require('./json-value.js');

const MAX_DELAY_MS = 10 * 366 * 24 * 3600 * 1000;

/**
 * @param {import('../parts.js').Parts} parts
 * @param {string} id the thread's
 * @param {string} name
 * @param {unknown} args
 * @param {number} delayMs
 * @param {number} [token]
 */
async function scheduleEffect({ store, library }, id, name, args, delayMs, token) {
  if (!library.effects.has(name)) {
    const names = [...library.effects.keys()].join(', ') || 'none';
    throw new ThreadError(
      'ERR_ISOBOX_THREAD_UNKNOWN',
      `There is no effect '${name}'. There are: ${names}`,
    );
  }
  checkNumber(delayMs, 'delayMs', { min: 0, max: MAX_DELAY_MS, integer: false });
  const kept = JSON.parse(toJson(args ?? {}));
  return store.change(
    id,
    ({ thread, batch, tick }) => {
      const createdAt = tick();
      const effect = {
        id: randomUUID(),
        name,
        args: kept,
        scheduledAt: createdAt + Math.round(delayMs * 1000),
        createdAt,
        status: 'pending',
        attempts: 0,
        error: null,
        completedAt: null,
      };
      thread.work += 1;
      batch.put(keys.effect(id, effect.id), effect);
      batch.put(keys.due(effect.scheduledAt, id, effect.id), 0);
      batch.wakes.add(id);
      return effect;
    },
    { token },
  );
}

/**
 * @param {import('../parts.js').Store} store
 * @param {string} id
 * @param {string} effectId
 * @param {'agent_canceled' | 'user_canceled'} status
 * @param {number} [token]
 * @returns {Promise<boolean>} false when it is not there, or no longer pending
 */
function cancelEffect(store, id, effectId, status, token) {
  const place = keys.effect(id, effectId);
  return store.change(
    id,
    ({ values: [effect], batch }) => {
      if (effect?.status !== 'pending') return false;
      batch.put(place, { ...effect, status });
      batch.delete(keys.due(effect.scheduledAt, id, effectId));
      return true;
    },
    { reads: [place], token },
  );
}

module.exports = { cancelEffect, scheduleEffect };
