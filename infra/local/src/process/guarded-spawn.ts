import { existsSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../start-error.ts';
import type { SystemUser } from './system-users.ts';
import { childEnvironment } from '../config.ts';
import { type LogFile, openLogFile } from './log-file.ts';
import { type Ending, followChild, type RunningChild } from './running-child.ts';

const setpriv = '/usr/bin/setpriv';

export interface Guard {
  /** Signal that the kernel sends to the program when the thread that started it dies. */
  readonly signal: NodeJS.Signals;
  /** User as whom the program runs; null for the user of this process. */
  readonly user: SystemUser | null;
}

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

/** Returns the command that runs a program under a guard; without setpriv (util-linux), the program's own command. */
export function guardedCommand(program: string, args: readonly string[], { signal, user }: Guard): Command {
  if (existsSync(setpriv)) {
    const drops = user === null ? [] : [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
    return { command: setpriv, args: ['--pdeathsig', signal.replace('SIG', ''), ...drops, '--', program, ...args] };
  }
  if (user === null) return { command: program, args };
  throw new StartError(`Postgres refuses to run as root, and ${setpriv} is missing to run it as another user`);
}

export interface GuardedProgram {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Variables added to the environment of this process, of which npm_* and nearly all TRUNKLINE_* are left out. */
  readonly env?: Readonly<Record<string, string>>;
  readonly logPath: string;
  /** Signal that asks the program for an orderly end; the kernel also sends it when this process dies. */
  readonly stopSignal: 'SIGINT' | 'SIGTERM' | 'SIGQUIT';
  readonly user: SystemUser | null;
  /** Pattern that matches the log once the program is ready. */
  readonly readyPattern: RegExp;
}

/** Lines of nats-server and Postgres that are no reason to end. */
const harmless = /\[(?:INF|WRN|DBG)\]|\b(?:LOG|WARNING|NOTICE|HINT|DETAIL): /;

function reasonIn(log: string): string {
  const lines = log.trim().split('\n');
  const error = lines.findLast((line) => /FATAL|\[FTL\]|\[ERR\]|error/i.test(line));
  return error ?? lines.findLast((line) => !harmless.test(line)) ?? '';
}

async function untilReady(program: GuardedProgram, child: RunningChild, log: LogFile): Promise<RegExpMatchArray> {
  let ending: Ending | undefined;
  void child.exited.then((how) => (ending = how));
  for (const deadline = Date.now() + 60_000; ; await sleep(10)) {
    const text = log.readNew();
    const ready = text.match(program.readyPattern);
    if (ready !== null) return ready;
    if (ending === undefined && Date.now() < deadline) continue;
    await child.kill();
    const why = ending === undefined ? 'not ready after 60 s' : reasonIn(text) || ending;
    throw new StartError(`${program.name} did not start: ${why} (log: ${log.path})`);
  }
}

/**
 * Starts a server in a process group of its own, so that Ctrl-C in a terminal reaches only this process, and waits
 * until the server is ready. The kernel signals the server when the starting thread dies.
 */
export async function guardedSpawn(program: GuardedProgram): Promise<{ child: RunningChild; ready: RegExpMatchArray }> {
  const log = openLogFile(program.logPath);
  try {
    const guard = { signal: program.stopSignal, user: program.user };
    const { command, args } = guardedCommand(program.command, program.args, guard);
    const spawned = spawn(command, args, {
      cwd: '/',
      detached: true,
      env: { ...childEnvironment(), ...program.env },
      stdio: ['ignore', log.fd, log.fd],
    });
    const child = await followChild(spawned, program.stopSignal);
    return { child, ready: await untilReady(program, child, log) };
  } finally {
    log.close();
  }
}
