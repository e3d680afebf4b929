'use strict';
// The page of `isobox threads` in a real browser: Debian's chromium.

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const puppeteer = require('puppeteer-core');

const { BIN } = require('../cli/command.js');

const SHOTS = path.join(__dirname, '..', '..', '.cache', 'screenshots');
const FOLDER = path.join(__dirname, 'page-agents');
const store = fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-page-'));

/** @type {import('puppeteer-core').Browser} */
let browser;
/** @type {import('node:child_process').ChildProcessWithoutNullStreams} */
let command;
let port = '0';
const at = (place) => `http://127.0.0.1:${port}${place}`;

/** Starts the command, on a free port or on that of before. */
function start() {
  const options = ['--port', port, '--store', store, '--token', 'secret'];
  command = spawn(process.execPath, [BIN, 'threads', FOLDER, ...options]);
  return new Promise((resolve, reject) => {
    command.stdout.setEncoding('utf8').once('data', (text) => {
      ({ port } = new URL(text.trim()));
      resolve(undefined);
    });
    command.stderr.setEncoding('utf8').once('data', (text) => reject(new Error(text)));
  });
}

function stop() {
  return new Promise((resolve) => {
    command.once('exit', resolve);
    command.kill('SIGKILL');
  });
}

beforeAll(async () => {
  fs.mkdirSync(SHOTS, { recursive: true });
  await start();
  browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    // Root, as in containers, has no user namespaces to put the browser into.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--force-color-profile=srgb'],
  });
});

afterAll(async () => {
  await browser?.close();
  await stop();
  fs.rmSync(store, { recursive: true });
});

/** A page that has the token, and what went wrong on it. */
async function open(token = 'secret') {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.setViewport({ width: 1440, height: 900 });
  const faults = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  await page.goto(at('/'));
  await page.locator('#sign-in input').fill(token);
  await page.locator('#sign-in button').click();
  return { page, faults };
}

/** @type {(method: string, place: string, body?: object) => Promise<any>} */
const ask = async (method, place, body) => {
  const response = await fetch(at(place), {
    method,
    headers: { authorization: 'Bearer secret' },
    body: body && JSON.stringify(body),
  });
  return response.json();
};

const textOf = (page, selector) => page.$eval(selector, (element) => element.textContent);
const shows = (page, selector, text) =>
  page.waitForFunction(
    `[...document.querySelectorAll(${JSON.stringify(selector)})]
      .some((one) => one.textContent.includes(${JSON.stringify(text)}))`,
  );

test('a thread is started, and its messages, tool calls and logs are seen as they come', async () => {
  const { page, faults } = await open();
  await page.waitForSelector('#app:not([hidden])');
  expect(await textOf(page, '#new-thread select')).toContain('Order support');
  await page.select('#new-thread select', 'support');
  await page.click('#new-thread button');
  await page.locator('#composer textarea').fill('Which orders are late?');
  await page.keyboard.press('Enter');
  // While the model is still writing.
  await shows(page, '.message.assistant .badge.running', 'writing');
  await shows(page, '.message.assistant .text', 'Three orders');
  expect(await page.$$eval('.message .text', (all) => all.at(-1).textContent)).not.toContain(
    'customers.',
  );
  await shows(page, '#thread-status', 'running');
  await shows(page, '.message.assistant .badge', 'stop_on_response');
  await shows(page, '#thread-status', 'idle');

  const calls = await page.$$eval('.call', (all) =>
    all.map((one) => `${one.querySelector('b').textContent} ${one.className}`),
  );
  expect(calls).toEqual([
    'find_orders call success',
    'run_code call success',
    'writer call success',
    'send_mail call error',
  ]);
  await page.screenshot({ path: path.join(SHOTS, 'threads.png') });
  await page.click('.call summary');
  await shows(page, '.call[open] dd', '"state": "late"');
  await shows(page, '.call[open] dd', 'A-1042');
  expect(await page.$$eval('#log .entry', (all) => all.length)).toBe(5);
  await shows(page, '#log .entry .facts', '470 tokens');
  await shows(page, '#log .entry .badge', 'stop_on_response');
  // The subagent stands below its parent.
  await shows(page, '.thread.child', 'writer');
  await page.click('#log .entry summary');
  await shows(page, '#log .entry[open] dd', 'You help with orders.');
  await page.click('#tab-events');
  await shows(page, '#events .event b', 'tool_completed');
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
  await page.screenshot({ path: path.join(SHOTS, 'threads-dark.png') });
  await page.setViewport({ width: 820, height: 900 });
  await page.screenshot({ path: path.join(SHOTS, 'threads-narrow.png') });

  // What a model writes is text, and no part of the page.
  await shows(page, '.message .text', '<img src=x onerror=');
  expect(await page.$$('#messages img')).toHaveLength(0);
  expect(await page.evaluate('window.harm')).toBe(undefined);
  expect(faults).toEqual([]);
});

test('threads of others appear, change and go by themselves; a running one can be stopped', async () => {
  const { page, faults } = await open();
  await page.waitForSelector('#link.open');
  const { threadId } = await ask('POST', '/threads', { agent_id: 'support' });
  const button = `.thread[title="${threadId}"]`;
  await page.waitForSelector(button);
  await ask('POST', `/threads/${threadId}/messages`, { content: 'wait' });
  await shows(page, `${button} .badge`, 'running');
  await page.click(button);
  await shows(page, '.call.running', 'wait');
  await page.click('#stop');
  await shows(page, '.call.error', 'wait');
  await shows(page, '#thread-status', 'idle');
  await ask('DELETE', `/threads/${threadId}`);
  await page.waitForSelector(button, { hidden: true });
  expect(faults).toEqual([]);
});

test('a wrong token is refused, and asked for again', async () => {
  const { page } = await open('wrong');
  await shows(page, '#sign-in-fault', 'valid token');
  expect(await page.$eval('#app', (app) => app.hidden)).toBe(true);
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
});

test('a server that is killed and comes back is followed again', async () => {
  const { page } = await open();
  await page.waitForSelector('#link.open');
  const { threadId } = await ask('POST', '/threads', { agent_id: 'support' });
  await page.waitForSelector(`.thread[title="${threadId}"]`);
  await page.click(`.thread[title="${threadId}"]`);
  await stop();
  await page.waitForSelector('#link:not(.open)');
  await start();
  await page.waitForSelector('#link.open');
  await ask('POST', `/threads/${threadId}/messages`, { content: 'Which orders are late?' });
  await shows(page, '.message.assistant .badge', 'stop_on_response');
});

test('the page is there without a token and holds nothing; other files are not', async () => {
  const index = await fetch(at('/'));
  expect(index.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(index.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect((await fetch(at('/page/page.js'))).status).toBe(200);
  for (const place of ['/page/../runtime.js', '/page/%2e%2e/runtime.js', '/page/', '/agents']) {
    expect((await fetch(at(place))).status).toBeGreaterThanOrEqual(400);
  }
});
