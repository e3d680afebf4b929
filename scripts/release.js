'use strict';
// Makes what is published, in dist/: `node scripts/release.js`. isobox itself, and the packages of the platforms in prebuilds/ beside
// it, which its manifest names in exactly its version. `--platforms <a,b,…>` fails when others are there, or fewer. Prints the
// directories in the order in which they are published.

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { packageName } = require('./platform-package.js');

const root = path.dirname(__dirname);

/** What only a checkout needs. Without scripts, installing runs nothing. */
const CHECKOUT_ONLY = ['scripts', 'devDependencies', 'overrides', 'allowScripts'];

/**
 * @param {string} prebuilds a directory with the packages of platforms
 * @param {string} dist where to put everything
 * @returns {string[]} the names of the packages' directories in it: isobox last, when what it names is there
 */
function stageRelease(prebuilds, dist) {
  const platforms = fs.existsSync(prebuilds) ? fs.readdirSync(prebuilds).sort() : [];
  if (platforms.length === 0) throw new Error(`${prebuilds} is empty: npm run prebuild`);
  fs.rmSync(dist, { recursive: true, force: true });
  fs.cpSync(prebuilds, dist, { recursive: true });
  const staged = path.join(dist, 'isobox');
  for (const file of listPackedFiles().filter((name) => !name.endsWith('.node'))) {
    fs.cpSync(path.join(root, file), path.join(staged, file));
  }
  const manifest = Object.fromEntries(
    Object.entries(readManifest()).filter(([name]) => !CHECKOUT_ONLY.includes(name)),
  );
  manifest.files = manifest.files.filter((/** @type {string} */ one) => !one.endsWith('.node'));
  manifest.optionalDependencies = Object.fromEntries(
    platforms.map((tag) => [packageName(tag), manifest.version]),
  );
  fs.writeFileSync(path.join(staged, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return [...platforms, 'isobox'];
}

/** @returns {Record<string, any>} */
function readManifest() {
  return JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
}

/** @returns {string[]} the files that a checkout packs, from its root */
function listPackedFiles() {
  const list = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return JSON.parse(list)[0].files.map((/** @type {{ path: string }} */ file) => file.path);
}

/** @param {string[]} args */
function main(args) {
  const [option = '--platforms', list, ...rest] = args;
  if (option !== '--platforms' || rest.length > 0) {
    throw new Error(`unknown arguments ${args.join(' ')}; the only one is --platforms <a,b,…>`);
  }
  const names = stageRelease(path.join(root, 'prebuilds'), path.join(root, 'dist'));
  const platforms = names.slice(0, -1);
  if (list !== undefined && list.split(',').sort().join() !== platforms.join()) {
    throw new Error(`prebuilds/ has ${platforms.join(', ')}, not ${list}`);
  }
  for (const name of names) console.log(`dist/${name}`);
}

if (require.main === module) {
  try {
    main(process.argv.slice(2));
  } catch (error) {
    console.error(`release: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}

module.exports = { listPackedFiles, stageRelease };
