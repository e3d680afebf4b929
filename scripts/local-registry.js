'use strict';
// A registry on this machine that has packages of ours, and sends whoever asks for others to the registry of npm's settings: what
// is not published yet installs by its name.

const { execFileSync } = require('node:child_process');
const crypto = require('node:crypto');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');

/** @param {string} directory of a package @returns {{ manifest: Record<string, any>, tarball: Buffer }} */
function pack(directory) {
  const output = execFileSync(
    'npm',
    ['pack', directory, '--json', '--ignore-scripts', '--pack-destination', directory],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const [{ filename }] = JSON.parse(output);
  const file = path.join(directory, path.basename(filename));
  const tarball = fs.readFileSync(file);
  fs.rmSync(file);
  const manifest = JSON.parse(fs.readFileSync(path.join(directory, 'package.json'), 'utf8'));
  return { manifest, tarball };
}

/**
 * @param {string[]} directories of packages
 * @returns {Promise<{ url: string, tarballs: Record<string, Buffer>, close: () => Promise<void> }>}
 */
async function startRegistry(directories) {
  const packages = new Map(
    directories.map(pack).map((packed) => [String(packed.manifest.name), packed]),
  );
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  let url = '';
  const server = http.createServer((request, response) => {
    const [name, isTarball] = decodeURIComponent(String(request.url).slice(1)).split('/-/');
    const found = packages.get(name);
    if (found === undefined) {
      response.writeHead(302, { location: new URL(String(request.url), upstream).href }).end();
    } else if (isTarball) {
      response.end(found.tarball);
    } else {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(describe(found, url)));
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  url = `http://127.0.0.1:${port}/`;
  return {
    url,
    tarballs: Object.fromEntries([...packages].map(([name, { tarball }]) => [name, tarball])),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * @param {{ manifest: Record<string, any>, tarball: Buffer }} packed
 * @param {string} url of the registry
 * @returns {object} what a registry tells of a package
 */
function describe({ manifest, tarball }, url) {
  const { name, version } = manifest;
  const dist = {
    tarball: `${url}${name}/-/package-${version}.tgz`,
    integrity: `sha512-${crypto.createHash('sha512').update(tarball).digest('base64')}`,
    shasum: crypto.createHash('sha1').update(tarball).digest('hex'),
  };
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
}

module.exports = { startRegistry };
