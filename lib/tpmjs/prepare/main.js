'use strict';
// The program that bundles one package, in a process of its own: a graph that takes all memory takes only that.
// Arguments: where esbuild is, the folder, the package's name. Prints what it found as JSON.

const { bundlePackage } = require('./bundle.js');

const [esbuildPath, folder, name] = process.argv.slice(2);

bundlePackage(require(esbuildPath), folder, name).then(
  // esbuild's own process would keep this one alive.
  (prepared) => process.stdout.write(JSON.stringify(prepared), () => process.exit(0)),
  (error) => process.stderr.write(String(error?.message), () => process.exit(1)),
);
