import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openPrograms } from './app/open-programs.ts';
import { checkout, type LocalConfig, readLocalConfig } from './config.ts';
import { chooseDataDir } from './data-dir.ts';
import { appUsers, unprivilegedUser } from './process/system-users.ts';
import { rotateLogs } from './process/log-file.ts';
import { readyBanner } from './stack/banner.ts';
import { findAdmin } from './stack/first-admin.ts';
import { takeInstanceLock } from './stack/instance-lock.ts';
import { createRoster } from './stack/roster.ts';
import { clearFormerStack, writeStackFile } from './stack/stack-file.ts';
import { startStack, tellAdmin, type Stack } from './stack/start-stack.ts';
import { StartError } from './start-error.ts';
import { timingsTable } from './timed.ts';

const parentCheckMs = 500;
const rotateEveryMs = 60_000;
const findAdminEveryMs = 10_000;

/** Calls `stop` when this process has to end: on a signal or, if npm started it, when its parent has ended. */
function onStopWanted(stop: () => void, { startedByNpm }: LocalConfig): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  const parent = process.ppid;
  if (startedByNpm) setInterval(() => process.ppid !== parent && stop(), parentCheckMs).unref();
}

function report(error: unknown): void {
  console.error(error instanceof Error ? error.message.split('\n')[0] : error);
}

interface StartOptions {
  /** Ends when the environment of this process has the paths of nats-server, hg, git and bzip2. */
  readonly toolsFound: Promise<unknown>;
  /** Whether to print how long the steps took. */
  readonly hasTimings: boolean;
}

async function run({ toolsFound, hasTimings }: StartOptions): Promise<void> {
  const config = readLocalConfig();
  const complete = toolsFound.then(() => readLocalConfig());
  // The stack reports it where it needs the tools.
  complete.catch(() => {});
  const user = unprivilegedUser();
  const dataDir = chooseDataDir({ requested: config.dataDir, checkout, systemDir: '/var/lib/trunkline', user });
  const stackPath = join(dataDir, 'stack.json');
  let summary: Stack['summary'] | null = null;

  const url = () => (summary === null ? 'and starting' : `at ${summary.baseUrl}`);
  const lock = await takeInstanceLock(dataDir, () => `(pid ${process.pid}) ${url()}`);
  if (lock.heldBy !== null)
    throw new StartError(`Trunkline is already running ${lock.heldBy}, with the data in ${dataDir}`);

  const publish = () => {
    if (summary === null) return;
    const supervisor = { role: 'supervisor', pid: process.pid, port: null } as const;
    writeStackFile(stackPath, { ...summary, processes: [supervisor, ...roster.processes()] });
  };
  /** The key that was printed may not work any more: after a restore it is that of another administrator. */
  const publishAdmin = async ({ findAdmin }: Stack) => {
    const told = tellAdmin(await findAdmin());
    if (stopping || summary === null || told.adminApiKey === summary.adminApiKey) return;
    const { adminUser: _user, adminApiKey: _key, adminPassword: _password, ...rest } = summary;
    summary = { ...rest, ...told };
    publish();
  };
  const roster = createRoster({ say: (line) => console.error(line), onReplaced: publish });

  let stopping = false;
  const finish = async (exitCode: number) => {
    // Ctrl-C sends SIGINT twice: from the terminal, and passed on by npm.
    if (stopping) return;
    stopping = true;
    await roster.stop().catch(report);
    rmSync(stackPath, { force: true });
    lock.release();
    process.exit(exitCode);
  };
  onStopWanted(() => {
    if (!stopping) console.log('Stopping');
    void finish(0);
  }, config);

  try {
    await clearFormerStack(stackPath);
    const users = appUsers();
    const programs = openPrograms(checkout, join(dataDir, 'programs'), users.worker);
    const stack = await startStack({ config, complete, dataDir, programs, users, findAdmin, roster });
    ({ summary } = stack);
    if (stopping) return;
    publish();
    // While the database is away, the last known one stands.
    setInterval(() => void publishAdmin(stack).catch(() => {}), findAdminEveryMs).unref();
    // A log that cannot be rotated now is tried again; a full disk must not end the stack.
    setInterval(() => void rotateLogs(join(dataDir, 'logs')).catch(() => {}), rotateEveryMs).unref();
    if (hasTimings) console.log(timingsTable());
    console.log(readyBanner(summary, { dataDir, seconds: performance.now() / 1000 }));
  } catch (error) {
    if (!stopping) report(error);
    await finish(1);
  }
}

/** Starts the stack, and ends this process when that fails. */
export async function start(options: StartOptions): Promise<void> {
  // A write to a closed terminal must not interrupt the orderly stop.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  try {
    await run(options);
  } catch (error) {
    report(error);
    process.exit(1);
  }
}
