'use strict';
// The newcomer's path, from an empty directory: installs the packed package by its name, pastes the first three examples of the
// README into files, and runs them, and the cookbook's agent of the AI SDK.
//
//   npm run test:newcomer                              with npm, pnpm and yarn, on every Node line
//   npm run test:newcomer -- --only 24 --with pnpm     on one line, with one of them
//   npm run test:newcomer -- --released                the packages in dist/, on the running Node

const { execFile } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');

const { builtPath, platformTag } = require('../lib/addon-paths.js');
const { startRegistry } = require('./local-registry.js');
const { environmentOf, fetchNode, root, run, takeMajors } = require('./nodes.js');
const { writePlatformPackage } = require('./platform-package.js');
const { stageRelease } = require('./release.js');

/**
 * The package managers, as npm has them: the newest that run on every supported Node, and how they are told to add packages.
 *
 * @type {Readonly<Record<string, { from: string, program: string, add: string[] }>>}
 */
const MANAGERS = Object.freeze({
  npm: { from: '', program: 'npm', add: ['install', '--no-audit', '--no-fund'] },
  pnpm: { from: 'pnpm@10', program: 'pnpm/bin/pnpm.cjs', add: ['add'] },
  yarn: { from: 'yarn@1', program: 'yarn/bin/yarn.js', add: ['add', '--non-interactive'] },
});
const BOUND_MS = 120_000;

/** @typedef {Awaited<ReturnType<typeof startRegistry>>} Registry */
/** @typedef {import('./nodes.js').NodeInstall} NodeInstall */

/**
 * @param {string} scratch
 * @param {string[]} abis of the local builds that go into the package of this platform
 * @returns {Promise<Registry>} with isobox as it would be published
 */
async function startWithBuilds(scratch, abis) {
  const prebuilds = path.join(scratch, 'prebuilds');
  const directory = writePlatformPackage(platformTag(), prebuilds);
  for (const abi of abis) {
    fs.copyFileSync(builtPath(root, abi), path.join(directory, `isobox-abi${abi}.node`));
  }
  const dist = path.join(scratch, 'dist');
  return startRegistry(stageRelease(prebuilds, dist).map((name) => path.join(dist, name)));
}

/** @param {string} page @returns {string[]} its `js` blocks */
function examplesOf(page) {
  const text = fs.readFileSync(path.join(root, page), 'utf8');
  return [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map((match) => match[1]);
}

/** @param {string} code @returns {string[]} what its lines of the form `console.log(…); // text` say */
const promisesOf = (code) =>
  [...code.matchAll(/^console\.log\(.*\); \/\/ (.+)$/gm)].map(([, text]) => text);

/**
 * @param {string} scratch
 * @param {Registry} registry
 */
function createNewcomer(scratch, registry) {
  const base = Object.fromEntries(
    // Neither the settings of the npm that runs this, nor what it adds for its scripts.
    Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_OPTIONS$/i.test(name)),
  );

  /**
   * @param {NodeInstall} node
   * @param {string[]} command
   * @param {string} cwd
   */
  async function start(node, command, cwd) {
    const env = {
      ...base,
      PATH: environmentOf(node).PATH,
      npm_config_registry: registry.url,
      YARN_REGISTRY: registry.url,
      YARN_CACHE_FOLDER: path.join(scratch, 'yarn-cache'),
      npm_config_store_dir: path.join(scratch, 'pnpm-store'),
    };
    const [program, ...args] = command;
    const options = { cwd, env, timeout: BOUND_MS };
    try {
      return (await promisify(execFile)(program, args, options)).stdout;
    } catch (error) {
      const { stdout, stderr, message } = /** @type {any} */ (error);
      throw new Error(`${command.join(' ')}: ${message}\n${stdout}\n${stderr}`, { cause: error });
    }
  }

  /**
   * @param {NodeInstall} node
   * @param {string} manager
   * @returns {Promise<string[]>} the command that adds packages
   */
  async function adder(node, manager) {
    const { from, program, add } = MANAGERS[manager];
    if (from === '') return [program, ...add];
    const tools = path.join(scratch, 'tools');
    const script = path.join(tools, 'node_modules', program);
    if (!fs.existsSync(script)) {
      await start(node, ['npm', 'install', '--no-audit', '--prefix', tools, from], scratch);
    }
    return [node.execPath, script, ...add];
  }

  return {
    /**
     * @param {NodeInstall} node
     * @param {string} manager
     * @returns {Promise<string>} the project, in which everything has run
     */
    async walk(node, manager) {
      const project = fs.mkdtempSync(path.join(scratch, `${manager}-${node.major}-`));
      // As `npm init -y` leaves it, so that a package manager does not look for a project further up.
      fs.writeFileSync(path.join(project, 'package.json'), '{ "private": true }\n');
      const add = await adder(node, manager);
      await start(node, [...add, 'isobox'], project);
      const [first, second, third] = examplesOf('README.md');
      for (const [i, code] of [first, second, third].entries()) {
        await paste(node, project, `example-${i + 1}.mjs`, code);
      }
      // The newest ai wants Node 22; some package managers refuse it on an older one.
      const ai = Number(node.major) < 22 ? 'ai@6' : 'ai';
      await start(node, [...add, ai, 'zod'], project);
      await paste(node, project, 'agent.mjs', examplesOf('docs/cookbook.md')[0]);
      return project;
    },
  };

  /**
   * @param {NodeInstall} node
   * @param {string} project
   * @param {string} name
   * @param {string} code
   */
  async function paste(node, project, name, code) {
    fs.writeFileSync(path.join(project, name), code);
    const printed = await start(node, [node.execPath, name], project);
    const promised = promisesOf(code);
    const missing = promised.filter((text) => !printed.includes(text));
    if (promised.length === 0 || missing.length > 0) {
      throw new Error(`${name} does not print ${missing.join(', ')} but\n${printed}`);
    }
  }
}

/** @returns {NodeInstall} the running Node */
function runningInstall() {
  const { node: version, modules: abi } = process.versions;
  return { major: version.split('.')[0], version, abi, execPath: process.execPath };
}

/** @param {string[]} args */
async function main(args) {
  const { majors, rest } = takeMajors(args);
  const isReleased = rest[0] === '--released';
  if (isReleased) rest.shift();
  const at = rest.indexOf('--with');
  const managers = at < 0 ? Object.keys(MANAGERS) : rest.splice(at, 2).slice(1);
  const unknown = [...rest, ...managers.filter((name) => !Object.hasOwn(MANAGERS, name))];
  if (unknown.length > 0 || managers.length === 0) {
    throw new Error(`unknown argument ${unknown[0] ?? '--with'}: see scripts/newcomer.js`);
  }
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-newcomer-'));
  const nodes = isReleased ? [runningInstall()] : majors.map((major) => fetchNode(major));
  if (!isReleased) {
    for (const node of nodes) {
      const build = [path.join(root, 'scripts', 'build.js')];
      if (!run(node.execPath, build, { env: environmentOf(node) })) throw new Error('no build');
    }
  }
  const dist = path.join(root, 'dist');
  const registry = isReleased
    ? await startRegistry(fs.readdirSync(dist).map((name) => path.join(dist, name)))
    : await startWithBuilds(
        scratch,
        nodes.map(({ abi }) => abi),
      );
  try {
    const newcomer = createNewcomer(scratch, registry);
    for (const node of nodes) {
      for (const manager of managers) {
        const from = performance.now();
        await newcomer.walk(node, manager);
        const seconds = Math.round((performance.now() - from) / 1000);
        console.log(`Node ${node.version} with ${manager}: ok, ${seconds} s`);
      }
    }
  } finally {
    await registry.close();
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}

if (require.main === module) {
  main(process.argv.slice(2)).catch((error) => {
    console.error(`newcomer: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  });
}

module.exports = {
  createNewcomer,
  managers: Object.keys(MANAGERS),
  runningInstall,
  startWithBuilds,
};
