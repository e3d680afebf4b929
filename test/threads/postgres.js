'use strict';
// A PostgreSQL server of the tests' own, in a temporary directory, on a free port of the loopback address.

const { execFileSync, spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');

/** The newest server that Debian's packages have installed, or the one on the path. */
function findBinaries() {
  const root = '/usr/lib/postgresql';
  const versions = fs.existsSync(root)
    ? fs.readdirSync(root).sort((a, b) => Number(b) - Number(a))
    : [];
  const candidates = [
    ...versions.map((version) => path.join(root, version, 'bin')),
    ...String(process.env.PATH).split(':'),
  ];
  const found = candidates.find((folder) => fs.existsSync(path.join(folder, 'initdb')));
  if (found === undefined) throw new Error('The tests need PostgreSQL: apt-get install postgresql');
  return found;
}

/** The server refuses to run as root. */
function unprivileged() {
  if (process.getuid?.() !== 0) return {};
  const id = (flag) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

const freePort = () =>
  new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });

class PostgresServer {
  #child;
  #binaries = findBinaries();
  #user = unprivileged();
  #directory = fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-postgres-'));
  #port = 0;
  #databases = 0;

  async start() {
    if (this.#user.uid !== undefined) fs.chownSync(this.#directory, this.#user.uid, this.#user.gid);
    const data = path.join(this.#directory, 'data');
    const made = spawnSync(
      path.join(this.#binaries, 'initdb'),
      ['-D', data, '-U', 'tests', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
      { ...this.#user, encoding: 'utf8', cwd: this.#directory },
    );
    if (made.status !== 0) throw new Error(made.stderr);
    this.#port = await freePort();
    await this.launch();
  }

  async launch() {
    const options = [
      '-p',
      this.#port,
      '-h',
      '127.0.0.1',
      '-k',
      this.#directory,
      '-c',
      'max_connections=60',
      '-c',
      'fsync=off',
    ];
    this.#child = spawn(
      path.join(this.#binaries, 'postgres'),
      ['-D', path.join(this.#directory, 'data'), ...options.map(String)],
      { ...this.#user, stdio: 'ignore', cwd: this.#directory },
    );
    const until = Date.now() + 20_000;
    const isReady = () =>
      spawnSync(path.join(this.#binaries, 'pg_isready'), [
        '-h',
        '127.0.0.1',
        '-p',
        String(this.#port),
      ]).status === 0;
    while (!isReady()) {
      if (Date.now() > until) throw new Error('PostgreSQL did not start');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** The address of a new, empty database. */
  async newDatabase() {
    const { Client } = require('pg');
    const name = `db${(this.#databases += 1)}`;
    const client = new Client({ connectionString: this.#address('postgres') });
    await client.connect();
    await client.query(`CREATE DATABASE ${name}`);
    await client.end();
    return this.#address(name);
  }

  #address(name) {
    return `postgres://tests@127.0.0.1:${this.#port}/${name}`;
  }

  /** @param {NodeJS.Signals} signal */
  kill(signal) {
    return new Promise((resolve) => {
      this.#child.once('exit', resolve);
      this.#child.kill(signal);
    });
  }

  /** For a process that ends. */
  killNow() {
    this.#child?.kill('SIGKILL');
    fs.rmSync(this.#directory, { recursive: true, force: true });
  }

  async stop() {
    await this.kill('SIGINT');
    fs.rmSync(this.#directory, { recursive: true });
  }
}

/** A server for the tests of a file. */
function usePostgres() {
  const server = new PostgresServer();
  beforeAll(() => server.start(), 60_000);
  afterAll(() => server.stop(), 60_000);
  return server;
}

module.exports = { PostgresServer, usePostgres };
