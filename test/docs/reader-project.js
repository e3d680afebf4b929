'use strict';
// A project as a reader has it: a folder with the packed package and what `npm install isobox` brings along, and nothing
// else.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { listPackedFiles } = require('../../scripts/release.js');
const { root } = require('./pages.js');

/** @param {string} file */
const readJson = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));

/** @returns {string[]} the folders of packages that come along with isobox, from the root */
function listDependencies() {
  return Object.entries(readJson(path.join(root, 'package-lock.json')).packages)
    .filter(
      ([place, { dev, optional, peer, devOptional }]) =>
        place !== '' && !(dev || optional || peer || devOptional),
    )
    .map(([place]) => place);
}

/**
 * @param {string[]} [more] packages that the reader is told to install as well
 * @returns {string} the folder of a new project
 */
function makeProject(more = []) {
  const project = fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-reader-'));
  const installed = path.join(project, 'node_modules', 'isobox');
  for (const file of listPackedFiles()) {
    fs.mkdirSync(path.dirname(path.join(installed, file)), { recursive: true });
    fs.copyFileSync(path.join(root, file), path.join(installed, file));
  }
  for (const place of listDependencies()) {
    fs.cpSync(path.join(root, place), path.join(project, place), { recursive: true });
  }
  // What is not isobox's own may stay where it is.
  for (const name of more) {
    const target = path.join(project, 'node_modules', name);
    fs.mkdirSync(path.dirname(target), { recursive: true });
    if (!fs.existsSync(target)) fs.symlinkSync(path.join(root, 'node_modules', name), target);
  }
  return project;
}

module.exports = { makeProject };
