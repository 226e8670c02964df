// Runs a bundle with the code that V8 compiled for the first process that ran it: compiling takes much of a start's time.
// Plain CommonJS, since it is loaded by each process that tests start.
'use strict';
const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname } = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

/** Time after which a process has compiled what it needs to serve, in milliseconds. */
const keptAfterMs = 2_000;

function readKept(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/**
 * Runs the bundle at this path as a module, and keeps its compiled code in a file beside it; returns whether kept code was
 * used. `flag` is the flag of V8 that the bundle sets: V8 refuses code that was kept with other flags than those with
 * which it is loaded.
 */
exports.runBundle = (path, flag) => {
  setFlagsFromString(flag);
  const keptPath = `${path}.code`;
  const cachedData = readKept(keptPath);
  const script = new Script(
    `(function (exports, require, module, __filename, __dirname) {${readFileSync(path, 'utf8')}\n})`,
    {
      filename: path,
      cachedData,
    },
  );
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(path), module, path, dirname(path));
  if (cachedData !== undefined && !script.cachedDataRejected) return true;
  const keep = () => {
    // Renamed, since several processes may keep it at once.
    const own = `${keptPath}.${process.pid}`;
    try {
      writeFileSync(own, script.createCachedData());
      renameSync(own, keptPath);
    } catch {
      // The next process compiles the bundle, too.
    }
  };
  setTimeout(keep, keptAfterMs).unref();
  return false;
};
