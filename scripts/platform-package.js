'use strict';
// The packages that hold binaries: `@isobox/linux-x64` and its like, in prebuilds/. npm installs the one whose os, cpu and libc are
// those of the machine.

const fs = require('node:fs');
const path = require('node:path');

const root = path.dirname(__dirname);
const prebuilds = path.join(root, 'prebuilds');

/** What the loader asks the package of its platform for. */
const INDEX = `'use strict';

const path = require('node:path');

/** The binary for the ABI of the running Node. */
exports.file = path.join(__dirname, \`isobox-abi\${process.versions.modules}.node\`);
`;

/** @param {string} tag `linux-musl-x64` @returns {string} the name of its package */
const packageName = (tag) => `@isobox/${tag}`;

/**
 * Makes the package of a platform, but for its binaries; those that are there stay.
 *
 * @param {string} tag
 * @param {string} [parent] the directory in which it is made
 * @returns {string} its directory
 */
function writePlatformPackage(tag, parent = prebuilds) {
  const { version, license, engines } = JSON.parse(
    fs.readFileSync(path.join(root, 'package.json'), 'utf8'),
  );
  const [os, ...others] = tag.split('-');
  const cpu = String(others.pop());
  const manifest = {
    name: packageName(tag),
    version,
    description: `The native binaries of isobox for ${tag}.`,
    license,
    engines,
    type: 'commonjs',
    main: 'index.js',
    files: ['*.node', 'LICENSE*'],
    // Yarn must unpack it: a library in an archive cannot be loaded.
    preferUnplugged: true,
    os: [os],
    cpu: [cpu],
    ...(os === 'linux' ? { libc: [others[0] ?? 'glibc'] } : {}),
  };
  const directory = path.join(parent, tag);
  fs.mkdirSync(directory, { recursive: true });
  const write = (/** @type {string} */ name, /** @type {string} */ text) =>
    fs.writeFileSync(path.join(directory, name), text);
  write('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
  write('index.js', INDEX);
  write('README.md', `The native binaries of isobox for ${tag}.\n`);
  fs.copyFileSync(path.join(root, 'LICENSE'), path.join(directory, 'LICENSE'));
  return directory;
}

module.exports = { packageName, writePlatformPackage };
