'use strict';
// From an empty directory to a working agent, with each package manager. The other Node lines: npm run test:newcomer.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const {
  createNewcomer,
  managers,
  runningInstall,
  startWithBuilds,
} = require('../../scripts/newcomer.js');
const { packageName } = require('../../scripts/platform-package.js');
const { platformTag } = require('../../lib/addon-paths.js');

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-newcomer-'));
/** @type {Awaited<ReturnType<typeof startWithBuilds>>} */
let registry;

beforeAll(async () => {
  registry = await startWithBuilds(scratch, [process.versions.modules]);
}, 120_000);

afterAll(async () => {
  await registry.close();
  fs.rmSync(scratch, { recursive: true, force: true });
});

test.each(managers)(
  'examples of README and the agent of the cookbook run when pasted: %s',
  async (manager) => {
    const project = await createNewcomer(scratch, registry).walk(runningInstall(), manager);
    const installed = path.join(project, 'node_modules', 'isobox');
    // No binary of its own.
    expect(fs.readdirSync(path.join(installed, 'build'))).toEqual(['guest-library.json']);
    const nested = fs.realpathSync(installed);
    const places = [path.dirname(nested), path.join(project, 'node_modules')];
    expect(
      places.some((place) => fs.existsSync(path.join(place, packageName(platformTag())))),
    ).toBe(true);
  },
  400_000,
);
