'use strict';
// A program as models write them, in a fresh guest: three tool calls, some JSON and text work; and the same with computing
// that takes an interpreter about a second.

const { expectAnswer, timeEach } = require('../harness/timing.js');
const { REFERENCE_TOOLS, runIsolatedVm, runQuickJs } = require('../rivals/guests.js');
const { loadRival } = require('../rivals/load.js');

// All tools come through one host function, because rivals have no more than that.
const PROGRAM = `
const call = (tool, input) => tools.add({ tool, input });

// Which customers spent most in the quarter, and what did they complain about?
const customers = await call('listCustomers', { region: 'north' });
const orders = await call('listOrders', { ids: customers.map((customer) => customer.id) });

const totals = new Map();
for (const { customerId, amount, currency, status } of orders) {
  if (status === 'cancelled') continue;
  const inEuro = currency === 'USD' ? amount * 0.9 : amount;
  totals.set(customerId, (totals.get(customerId) ?? 0) + inEuro);
}

const ranked = customers
  .map(({ id, name, notes }) => ({ id, name, notes, total: totals.get(id) ?? 0 }))
  .sort((a, b) => b.total - a.total)
  .slice(0, 5);

function words(text) {
  return text
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word.length > 3);
}

const counts = {};
for (const { notes } of ranked) {
  for (const word of words(notes)) counts[word] = (counts[word] ?? 0) + 1;
}
const topics = Object.entries(counts)
  .sort(([a, m], [b, n]) => n - m || a.localeCompare(b))
  .slice(0, 3)
  .map(([word]) => word);

const table = ranked
  .map(({ name, total }, i) => \`\${i + 1}. \${name.padEnd(14)} \${total.toFixed(2).padStart(10)}\`)
  .join('\\n');
const report = JSON.stringify({ table, topics, customers: ranked.length }, null, 2);

const sent = await call('sendReport', { to: 'sales', body: report });
if (!sent.accepted) throw new Error('The report was not accepted: ' + sent.reason);
`;

const COMPUTING = `
let primes = 0;
for (let n = 2; primes < 36000; n++) {
  let isPrime = true;
  for (let d = 2; d * d <= n; d++) if (n % d === 0) { isPrime = false; break; }
  if (isPrime) primes++;
}
`;

const ANSWER = 'return JSON.parse(report).topics.join() + sent.length;';

/** @type {Record<string, { source: string, plan: { count: number, pauseMs: number, leadIn?: number } }>} */
const CASES = {
  'three tool calls': { source: PROGRAM + ANSWER, plan: { count: 20, pauseMs: 5 } },
  'three tool calls and computing': {
    source: PROGRAM + COMPUTING + ANSWER,
    plan: { count: 2, pauseMs: 5, leadIn: 1 },
  },
};

const CUSTOMERS = Array.from({ length: 40 }, (_, i) => ({
  id: i,
  name: `Customer ${i}`,
  notes: `Delivery ${i % 3 === 0 ? 'late' : 'early'}; invoice wrong, asked for refund of order ${i}.`,
}));
const ORDERS = Array.from({ length: 200 }, (_, i) => ({
  customerId: i % CUSTOMERS.length,
  amount: 10 + ((i * 37) % 400),
  currency: i % 4 === 0 ? 'USD' : 'EUR',
  status: i % 9 === 0 ? 'cancelled' : 'paid',
}));

/** @type {Record<string, (input: any) => unknown>} */
const TOOLS = {
  listCustomers: () => CUSTOMERS,
  listOrders: ({ ids }) => ORDERS.filter(({ customerId }) => ids.includes(customerId)),
  sendReport: ({ body }) => ({ accepted: true, length: body.length }),
};

/** @param {{ tool: string, input: unknown }} request */
const callTool = async ({ tool, input }) => TOOLS[tool](input);

/**
 * @param {(source: string) => Promise<unknown>} run the body of an async function in a fresh guest
 * @returns {import('../harness/contract.d.ts').Subject}
 */
function measureProgram(run) {
  return {
    measure(caseName) {
      const { source, plan } = CASES[caseName];
      return timeEach(
        async () => expectAnswer(await run(source), 'asked,delivery,invoice245'),
        plan,
      );
    },
  };
}

function isobox() {
  const { IsolatePool } = require('isobox');
  const pool = new IsolatePool();
  return measureProgram(async (source) => {
    const outcome = await pool.run({ source, namespaces: { tools: { add: callTool } } });
    return outcome.ok ? outcome.value : outcome.error.message;
  });
}

function isolatedVm() {
  const ivm = loadRival('isolated-vm');
  const host = new ivm.Reference(callTool);
  return measureProgram((source) => runIsolatedVm(ivm, source, host, REFERENCE_TOOLS));
}

async function quickjs() {
  const quickJs = await loadRival('quickjs-emscripten').getQuickJS();
  const toHandle = (/** @type {any} */ context, /** @type {unknown} */ value) =>
    context.unwrapResult(context.evalCode(`(${JSON.stringify(value)})`));
  return measureProgram((source) => runQuickJs(quickJs, source, callTool, toHandle));
}

/** @type {import('../harness/contract.d.ts').Scenario} */
module.exports = {
  title: 'A program of 45 lines with three tool calls in a fresh guest, until its answer is there',
  unit: 'µs',
  better: 'lower',
  cases: Object.keys(CASES),
  rounds: { full: 10, quick: 2 },
  process: 'kept',
  systems: { isobox, 'isolated-vm': isolatedVm, 'quickjs-emscripten': quickjs },
};
