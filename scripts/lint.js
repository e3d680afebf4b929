'use strict';
// Every static check: `npm run lint [-- step ...]`. All steps run, even after one has failed.

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { buildDirectory } = require('../lib/addon-paths.js');
const { root, run } = require('./nodes.js');

/**
 * @param {string[]} directories
 * @param {RegExp} pattern
 * @returns {string[]} files relative to the root, sorted
 */
function listFiles(directories, pattern) {
  return directories
    .filter((directory) => fs.existsSync(path.join(root, directory)))
    .flatMap((directory) =>
      fs
        .readdirSync(path.join(root, directory), { recursive: true, encoding: 'utf8' })
        .map((name) => path.join(directory, name)),
    )
    .filter((name) => pattern.test(name))
    .sort();
}

/** @param {string} packageBin a script below node_modules, such as `eslint/bin/eslint.js` */
function nodeBin(packageBin) {
  return path.join(root, 'node_modules', packageBin);
}

const cppFiles = () => listFiles(['native', 'binding', 'test/native', 'bench'], /\.(cc|h)$/);

/** @param {string[]} mode */
const clangFormat = (mode) => run('clang-format', ['--style=file', ...mode, ...cppFiles()]);

/** @returns {Promise<boolean>} */
async function clangTidy() {
  const directory = buildDirectory(root);
  const database = path.join(directory, 'compile_commands.json');
  if (!fs.existsSync(database)) {
    console.error('clang-tidy needs the compile commands of a build: run `npm run compile` first');
    return false;
  }
  /** @type {{ file: string }[]} */
  const commands = JSON.parse(fs.readFileSync(database, 'utf8'));
  const known = new Set(commands.map(({ file }) => path.relative(root, file)));
  const files = listFiles(['native', 'binding'], /\.cc$/);
  const unknown = files.filter((file) => !known.has(file));
  if (unknown.length > 0) {
    console.error(`not in the last build, run \`npm run compile\` first: ${unknown.join(', ')}`);
    return false;
  }

  let ok = true;
  const pending = [...files];
  const worker = async () => {
    for (let file = pending.shift(); file !== undefined; file = pending.shift()) {
      const { code, output } = await capture('clang-tidy', ['--quiet', '-p', directory, file]);
      if (code === 0) continue;
      ok = false;
      console.error(output);
    }
  };
  await Promise.all(Array.from({ length: os.availableParallelism() }, worker));
  return ok;
}

/**
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<{ code: number | null, output: string }>}
 */
function capture(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk) => {
        output += chunk;
      });
    }
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

/** Looks at the package as npm would publish it: its entry points, and their types for `require` and `import`. */
function packedPackage() {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-lint-'));
  try {
    const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', scratch];
    if (!run('npm', pack)) return false;
    const tarball = path.join(scratch, fs.readdirSync(scratch)[0]);
    const checks = [
      [nodeBin('publint/src/cli.js'), 'run', tarball, '--strict'],
      [nodeBin('@arethetypeswrong/cli/dist/index.js'), tarball, '--format', 'table-flipped'],
    ];
    return checks.map((check) => run(process.execPath, check)).every(Boolean);
  } finally {
    fs.rmSync(scratch, { recursive: true });
  }
}

/** @param {string} project the folder of a tsconfig.json */
const checkTypes = (project) =>
  run(process.execPath, [nodeBin('typescript/bin/tsc'), '-p', path.join(root, project)]);

/** @type {Record<string, () => boolean | Promise<boolean>>} */
const steps = {
  'clang-format': () => clangFormat(['--dry-run', '-Werror']),
  'clang-tidy': clangTidy,
  eslint: () => run(process.execPath, [nodeBin('eslint/bin/eslint.js'), '--max-warnings=0', '.']),
  prettier: () => run(process.execPath, [nodeBin('prettier/bin/prettier.cjs'), '--check', '.']),
  tsc: () => ['.', 'test'].map(checkTypes).every(Boolean),
  package: packedPackage,
};

/** Rewrites the files in place. */
function format() {
  const prettier = [nodeBin('prettier/bin/prettier.cjs'), '--write', '--log-level=warn', '.'];
  const ok = [clangFormat(['-i']), run(process.execPath, prettier)];
  return ok.every(Boolean);
}

/** @param {string[]} args */
async function main(args) {
  if (args[0] === '--fix') {
    if (!format()) process.exitCode = 1;
    return;
  }
  const unknown = args.find((arg) => !(arg in steps));
  if (unknown !== undefined) {
    throw new Error(`unknown step ${unknown}; there are ${Object.keys(steps).join(', ')}`);
  }
  const lines = [];
  for (const name of args.length > 0 ? args : Object.keys(steps)) {
    const start = Date.now();
    const ok = await steps[name]();
    lines.push(
      `${name.padEnd(14)}${ok ? 'ok' : 'FAILED'}  ${((Date.now() - start) / 1000).toFixed(1)} s`,
    );
    if (!ok) process.exitCode = 1;
  }
  console.log(`\n${lines.join('\n')}`);
}

main(process.argv.slice(2)).catch((error) => {
  console.error(`lint: ${error.message}`);
  process.exitCode = 1;
});
