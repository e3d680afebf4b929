'use strict';
// A small npm registry on the loopback address, with packages that tests make up.

const crypto = require('node:crypto');
const http = require('node:http');
const zlib = require('node:zlib');

/**
 * @param {Record<string, string | Buffer>} files by path in the archive, as it is: it may lead anywhere
 * @returns {Buffer} a tarball
 */
function tarball(files) {
  const blocks = Object.entries(files).flatMap(([name, contents]) => {
    const bytes = Buffer.from(contents);
    const header = Buffer.alloc(512);
    header.write(name, 0, 100);
    header.write(['0000644', '0000000', '0000000', ''].join('\0'), 100);
    header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
    header.write(['00000000000', '        0'].join('\0'), 136);
    header.write(['ustar', '00'].join('\0'), 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  return zlib.gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

/**
 * @typedef {object} Published
 * @property {string} [version]
 * @property {Record<string, string | Buffer>} files by path in the package
 * @property {object} [about] more of package.json
 * @property {Record<string, string>} [outside] entries of the archive by their own path
 * @property {string} [integrity] another than the right one
 */

class Registry {
  /** @type {Map<string, Map<string, { manifest: any, bytes: Buffer }>>} */
  #packages = new Map();
  /** How often each path was asked for. @type {Map<string, number>} */
  asked = new Map();
  /** The header that requests must bring. @type {string | undefined} */
  authorization;
  /** @type {'up' | 'silent' | 'broken'} */
  state = 'up';
  #server = http.createServer((request, response) => this.#answer(request, response));

  fail() {
    this.state = 'broken';
  }

  recover() {
    this.state = 'up';
  }

  async listen(port = 0) {
    await new Promise((resolve) => {
      this.#server.listen(port, '127.0.0.1', () => resolve(undefined));
    });
    this.port = /** @type {import('node:net').AddressInfo} */ (this.#server.address()).port;
    this.url = `http://127.0.0.1:${this.port}/`;
  }

  async close() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  /**
   * @param {string} name
   * @param {Published} published
   */
  publish(name, { version = '1.0.0', files, about = {}, outside = {}, integrity }) {
    const manifest = { name, version, type: 'module', main: 'index.js', ...about };
    const inside = Object.entries({ 'package.json': JSON.stringify(manifest), ...files });
    const bytes = tarball({
      ...Object.fromEntries(inside.map(([path, text]) => [`package/${path}`, text])),
      ...outside,
    });
    const versions = this.#packages.get(name) ?? new Map();
    const hash = crypto.createHash('sha512').update(bytes).digest('base64');
    const dist = { integrity: integrity ?? `sha512-${hash}` };
    versions.set(version, { manifest: { ...manifest, dist }, bytes });
    this.#packages.set(name, versions);
  }

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   */
  #answer(request, response) {
    const path = decodeURIComponent(request.url ?? '/').slice(1);
    this.asked.set(path, (this.asked.get(path) ?? 0) + 1);
    if (this.state === 'silent') return;
    if (this.state === 'broken') {
      response.writeHead(503).end();
      return;
    }
    if (this.authorization !== undefined && request.headers.authorization !== this.authorization) {
      response.writeHead(401).end('{}');
      return;
    }
    const [, name, version] = /^(.+)\/-\/(.+)\.tgz$/.exec(path) ?? [];
    const versions = this.#packages.get(name ?? path);
    if (versions === undefined) response.writeHead(404).end('{}');
    else if (version !== undefined) response.end(versions.get(version)?.bytes);
    else response.end(JSON.stringify(this.#packument(path, versions)));
  }

  /**
   * @param {string} name
   * @param {Map<string, { manifest: any }>} versions
   */
  #packument(name, versions) {
    const entries = [...versions].map(([version, { manifest }]) => {
      const dist = { ...manifest.dist, tarball: `${this.url}${name}/-/${version}.tgz` };
      return [version, { ...manifest, dist }];
    });
    return {
      name,
      'dist-tags': { latest: entries.at(-1)?.[0] },
      versions: Object.fromEntries(entries),
    };
  }
}

module.exports = { Registry };
