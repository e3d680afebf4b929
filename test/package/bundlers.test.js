'use strict';
// The recipes of docs/platforms.md, with the tools themselves, from npm, in a project that has isobox as it would be published.

const { execFile } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');

const { platformTag } = require('../../lib/addon-paths.js');
const { startWithBuilds } = require('../../scripts/newcomer.js');

const TOOLS = ['esbuild', 'webpack', 'rollup', 'vite', '@vercel/nft', 'next', 'react', 'react-dom'];
const RUNTIMES = ['bun', 'deno'];
const root = path.join(__dirname, '..', '..');

const APP = `
import { IsolatePool } from 'isobox';
import { runCode } from 'isobox/run-code';
const pool = new IsolatePool();
const { value } = await pool.run({ source: 'return 40 + 2' });
const { result } = await runCode('export default (n: number) => n + 1', { execute: { args: [1] } });
await pool.dispose();
console.log(JSON.stringify([value, result]));
`;

/** @type {string} */
let scratch;
/** @type {string} */
let project;

const run = async (command, args, { cwd = project, env = {} } = {}) => {
  const clean = Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_ENV$/i.test(name));
  const options = { cwd, env: { ...Object.fromEntries(clean), ...env }, timeout: 400_000 };
  return (await promisify(execFile)(command, args, options)).stdout;
};

/** @param {string} name @param {string} text */
const write = (name, text) => {
  fs.mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
  fs.writeFileSync(path.join(project, name), text);
};

/** Runs a bundle, which must have left isobox where it is. */
const runBundle = async (name) => {
  expect(fs.statSync(path.join(project, name)).size).toBeLessThan(10_000);
  return run(process.execPath, [name]);
};

beforeAll(async () => {
  scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-bundlers-'));
  project = path.join(scratch, 'project');
  const registry = await startWithBuilds(scratch, [process.versions.modules]);
  write('package.json', '{ "private": true }');
  write('app.mjs', APP);
  const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', [...install, 'isobox', ...TOOLS, ...RUNTIMES], {
    env: { npm_config_registry: registry.url },
  });
  await registry.close();
}, 420_000);

afterAll(() => {
  fs.rmSync(scratch, { recursive: true, force: true });
});

test('esbuild', async () => {
  const bundle = [
    'esbuild',
    'app.mjs',
    ...['--bundle', '--platform=node', '--format=esm', '--outfile=esbuild/app.mjs'],
    ...['--external:isobox', '--external:isobox/*'],
  ];
  await run('npx', bundle);
  expect(await runBundle('esbuild/app.mjs')).toBe('[42,2]\n');
});

test('webpack', async () => {
  write(
    'webpack.mjs',
    `import webpack from 'webpack';
    webpack({
      mode: 'production', target: 'node', entry: './app.mjs',
      output: { path: import.meta.dirname + '/webpack', filename: 'app.cjs' },
      externals: [({ request }, done) => (/^isobox(\\/|$)/.test(request) ? done(null, \`commonjs \${request}\`) : done())],
    }, (error, stats) => {
      if (error || stats.hasErrors()) throw error ?? new Error(stats.toString());
    });`,
  );
  await run(process.execPath, ['webpack.mjs']);
  expect(await runBundle('webpack/app.cjs')).toBe('[42,2]\n');
});

test('Rollup', async () => {
  write(
    'rollup.mjs',
    `import { rollup } from 'rollup';
    const bundle = await rollup({ input: 'app.mjs', external: [/^isobox(\\/|$)/] });
    await bundle.write({ file: 'rollup/app.mjs' });`,
  );
  await run(process.execPath, ['rollup.mjs']);
  expect(await runBundle('rollup/app.mjs')).toBe('[42,2]\n');
});

test('Vite, for the server', async () => {
  write(
    'vite.mjs',
    `import { build } from 'vite';
    await build({
      logLevel: 'error',
      build: { ssr: 'app.mjs', outDir: 'vite', rollupOptions: { output: { entryFileNames: 'app.mjs' } } },
      ssr: { external: ['isobox'] },
    });`,
  );
  await run(process.execPath, ['vite.mjs']);
  expect(await runBundle('vite/app.mjs')).toBe('[42,2]\n');
});

test('@vercel/nft finds every file, the binary among them', async () => {
  write(
    'trace.mjs',
    `import { nodeFileTrace } from '@vercel/nft';
    const { fileList } = await nodeFileTrace(['app.mjs']);
    console.log(JSON.stringify([...fileList]));`,
  );
  const files = JSON.parse(await run(process.execPath, ['trace.mjs']));
  const binaries = files.filter((file) => file.endsWith('.node'));
  const abi = process.versions.modules;
  expect(binaries).toEqual([`node_modules/@isobox/${platformTag()}/isobox-abi${abi}.node`]);
  const traced = path.join(scratch, 'traced');
  for (const file of files) fs.cpSync(path.join(project, file), path.join(traced, file));
  expect(await run(process.execPath, ['app.mjs'], { cwd: traced })).toBe('[42,2]\n');
});

test('Next.js, standalone', async () => {
  write(
    'next.config.mjs',
    `export default {
      output: 'standalone', serverExternalPackages: ['isobox'], outputFileTracingRoot: import.meta.dirname,
    };`,
  );
  write('app/layout.js', 'export default ({ children }) => <html><body>{children}</body></html>;');
  write(
    'app/answer/route.js',
    `import { IsolatePool } from 'isobox';
    const pool = new IsolatePool();
    export const dynamic = 'force-dynamic';
    export async function GET() {
      return Response.json((await pool.run({ source: 'return 40 + 2' })).value);
    }`,
  );
  await run('npx', ['next', 'build'], { env: { NEXT_TELEMETRY_DISABLED: '1' } });
  const standalone = path.join(scratch, 'standalone');
  fs.cpSync(path.join(project, '.next', 'standalone'), standalone, { recursive: true });
  // Asks the server's own handler, on a port that is free.
  fs.writeFileSync(
    path.join(standalone, 'ask.cjs'),
    `const http = require('node:http');
    const listen = http.Server.prototype.listen;
    http.Server.prototype.listen = function (...args) {
      this.once('listening', async () => {
        const response = await fetch(\`http://127.0.0.1:\${this.address().port}/answer\`);
        console.log('answer', response.status, await response.text());
        process.exit();
      });
      return listen.apply(this, args);
    };
    require('./server.js');`,
  );
  const env = { PORT: '0', HOSTNAME: '127.0.0.1' };
  const output = await run(process.execPath, ['ask.cjs'], { cwd: standalone, env });
  expect(output).toContain('answer 200 42');
}, 420_000);

test.each([
  ['Bun', ['bun', 'app.mjs']],
  ['Deno', ['deno', 'run', '--allow-all', '--node-modules-dir=manual', 'app.mjs']],
])('%s says that it is not Node', async (name, command) => {
  const [program, ...args] = command;
  const file = {
    bun: `node_modules/@oven/bun-linux-${process.arch}/bin/bun`,
    deno: `node_modules/@deno/linux-${process.arch}-glibc/deno`,
  }[program];
  const failure = await run(path.join(project, String(file)), args).catch((error) => error);
  expect(failure.stderr).toMatch(new RegExp(`isobox does not run in ${name} \\d`));
  expect(failure.stderr).toContain('with Node 20 or later');
});

test('the recipes are those of the documentation', () => {
  const page = fs.readFileSync(path.join(root, 'docs', 'platforms.md'), 'utf8');
  for (const recipe of [
    '--external:isobox --external:isobox/*',
    'external: [/^isobox(\\/\\|$)/]',
    "ssr: { external: ['isobox'] }",
    "serverExternalPackages: ['isobox']",
  ]) {
    expect(page).toContain(recipe);
  }
});
