import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, buildIsFresh } from './build.mjs';
import { installPackages, packagesAreFresh } from './packages.mjs';
import { SetupError, withProgress } from './run.mjs';
import { findTestTools } from './test-tools.mjs';
import { filtersOf } from './tests-to-run.mjs';
import { findTools } from './tools.mjs';

function tryListen(socket) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(null) : reject(error)));
    server.listen(socket, () => resolve(server));
  });
}

/**
 * Runs `work` under a lock of this checkout. The lock is an abstract socket, which ends with its process; only Linux
 * has abstract sockets, on other systems nothing is locked.
 */
export async function withSetupLock(root, say, work) {
  if (process.platform !== 'linux') return work();
  const socket = `\0trunkline-setup-${createHash('sha256').update(root).digest('hex').slice(0, 32)}`;
  let server = await tryListen(socket);
  if (server === null) say('Waiting for another setup of this checkout');
  while (server === null) {
    await sleep(100);
    server = await tryListen(socket);
  }
  try {
    return await work();
  } finally {
    server.close();
  }
}

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..', '..');
const say = (line) => process.stderr.write(`${line}\n`);

async function preparePrograms() {
  if (packagesAreFresh(root) && buildIsFresh(root)) return;
  await withSetupLock(root, say, async () => {
    if (!packagesAreFresh(root)) await installPackages(root, process.env, say);
    if (!buildIsFresh(root)) {
      say('Building');
      await withProgress(
        'Building',
        say,
        (seconds) => `Building for ${seconds} s`,
        () => build(root),
      );
    }
  });
}

// The stack and vitest run in this process: signals need not be passed on, and no process is left when it is killed.
async function startStack(args, toolsFound) {
  const { start } = await import(pathToFileURL(join(root, 'infra/local/dist/start.js')).href);
  await start({ toolsFound, hasTimings: args.includes('--timings') });
}

function runVitest(args) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const own = [join(root, 'tests/harness/run-record.ts'), join(here, 'count-reporter.mjs')];
  const reporters = ['default', ...own].map((reporter) => `--reporter=${reporter}`);
  process.argv = [process.execPath, vitest, 'run', ...reporters, ...args];
  return import(pathToFileURL(vitest).href);
}

function runCommand([command, ...args]) {
  const child = spawn(command, args, { stdio: 'inherit' });
  child.on('error', (error) => say(error.message));
  child.on('close', (code) => process.exit(code === 0 ? 0 : 1));
}

/** Returns the tier that a task runs: files that are named are run whatever their tier is. */
function tierOf(task, args) {
  if (task === 'test-long') return 'long';
  return filtersOf(args).length > 0 ? 'all' : 'quick';
}

const runTests = (args) =>
  runVitest(args.some((arg) => arg.startsWith('--project')) ? args : ['--project=!bench', ...args]);

const tasks = {
  start: startStack,
  test: runTests,
  'test-long': runTests,
  bench: (args) => runVitest(['--project=bench', ...args]),
  // Runs any command, with the tools on its PATH.
  exec: runCommand,
};

/** Finds or fetches the programs that a task needs, and adds their paths to the environment of this process. */
async function findAll(task, args) {
  const isTest = task === 'test' || task === 'test-long';
  const tier = tierOf(task, args);
  if (isTest) process.env.TRUNKLINE_TEST_TIER = tier;
  const [tools, testTools] = await Promise.all([
    findTools(process.env, say),
    isTest ? findTestTools({ args, root, tier }, process.env, say) : {},
  ]);
  Object.assign(process.env, tools, testTools);
}

export async function main([task, ...args]) {
  const parent = process.ppid;
  let toolsFound;
  try {
    if (!Object.hasOwn(tasks, task)) throw new SetupError(`Usage: bootstrap.mjs ${Object.keys(tasks).join('|')}`);
    toolsFound = findAll(task, args);
    const prepared = preparePrograms();
    const both = toolsFound.then(() => prepared);
    // The stack can create its database while its other programs are still being fetched.
    await (task === 'start' ? Promise.race([prepared, both]) : both);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
    process.exit(1);
  }
  // The parent, npm, has ended meanwhile.
  if (process.env.npm_lifecycle_event && process.ppid !== parent) process.exit(1);
  process.chdir(root);
  await tasks[task](args, toolsFound);
}
