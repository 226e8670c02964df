import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { Duplex } from 'node:stream';
import { VcsError } from '../vcs-error.ts';
import { killGroupOf } from './kill-group-of.ts';
import { lowerPriority } from './lower-priority.ts';
import { memoryBudget, type BudgetedChild } from './memory-budget.ts';
import { SpawnedChild, SpawnerLostError } from './spawner/spawned-child.ts';
import { currentSpawner } from './spawner/spawner.ts';

/** A command with its process group, started by this process or by its spawner. */
export type GroupChild = ChildProcessWithoutNullStreams | SpawnedChild;

export interface GroupOptions extends Omit<BudgetedChild, 'pid'> {
  readonly env: NodeJS.ProcessEnv;
  readonly secret?: string | undefined;
  /** Whether the command starts whatever memory is there. */
  readonly startsAnyway?: boolean;
}

/**
 * Starts a command as the leader of its own process group. The rest of the group gets SIGKILL when the command exits.
 * Throws VcsError `busy` while the memory of all children is above the budget, except for a kept process, before whose
 * start its caller has waited for memory or need not; `stop` is called to take memory back.
 * The secret is sent through file descriptor 3 to a child that writes a line there, so that neither the command line
 * nor the environment holds it.
 */
export function spawnGroup(
  command: readonly string[],
  { env, secret, stop, isIdle, measure, startsAnyway = false }: GroupOptions,
): ChildProcessWithoutNullStreams {
  if (!isIdle && !startsAnyway) memoryBudget.requireMemory();
  const [file = '', ...args] = command;
  const pipes = Array.from({ length: secret === undefined ? 3 : 4 }, () => 'pipe' as const);
  const child = spawn(file, args, { env, detached: true, cwd: '/', stdio: pipes });
  const uncount = memoryBudget.add({ pid: child.pid, stop, ...(isIdle && { isIdle }), ...(measure && { measure }) });
  // Kept processes serve short commands of everybody.
  if (!isIdle) lowerWhileRunning(child);
  // Without a listener, the error of a command that does not start would end the whole worker.
  child.on('error', uncount);
  child.on('exit', () => {
    if (child.pid !== undefined) killGroupOf(child.pid);
    uncount();
  });
  // The pipes are missing when this process has no file descriptors left.
  if (!hasPipes(child)) throw new VcsError('failed', 'the command did not start');
  const [, , , asked] = child.stdio;
  if (asked instanceof Duplex) asked.on('error', () => {}).on('data', () => asked.write(secret ?? ''));
  return child;
}

function lowerWhileRunning(child: GroupChild): void {
  if (child.pid === undefined) return;
  const ended = new AbortController();
  child.once('exit', () => ended.abort());
  lowerPriority(child.pid, ended.signal);
}

type StartOptions = Omit<GroupOptions, 'measure'> & { readonly signal?: AbortSignal };

/**
 * Starts a command as `spawnGroup` does, by the spawner where that can be. Throws VcsError `cancelled` after the signal.
 */
export async function startGroup(command: readonly string[], options: StartOptions): Promise<GroupChild> {
  const { env, secret, stop, isIdle, startsAnyway = false, signal } = options;
  if (signal?.aborted) throw new VcsError('cancelled', 'cancelled before it began', { cause: signal.reason });
  const spawner = currentSpawner();
  // Only descriptors that are opened here can have a fourth stream.
  if (!spawner?.isReady || secret !== undefined) return spawnGroup(command, options);
  if (!isIdle && !startsAnyway) memoryBudget.requireMemory();
  const child = await memoryBudget
    .whileStarting(() => spawner.run(command, env))
    .catch((cause: unknown) => {
      throw new VcsError(cause instanceof SpawnerLostError ? 'busy' : 'failed', 'the command did not start', { cause });
    });
  child.on('lost', () => stop(new VcsError('busy', 'the process that had started the command was lost')));
  const uncount = memoryBudget.add({ pid: child.pid, stop, ...(isIdle && { isIdle }) });
  child.on('exit', uncount);
  if (!isIdle) lowerWhileRunning(child);
  if (signal?.aborted) {
    killGroup(child);
    for (const stream of child.stdio) stream.destroy();
    throw new VcsError('cancelled', 'cancelled while it began', { cause: signal.reason });
  }
  return child;
}

function hasPipes(child: ChildProcess): child is ChildProcessWithoutNullStreams {
  return Boolean(child.stdin && child.stdout && child.stderr);
}

const openPipesMsMax = 5_000;

/**
 * Calls `expired` and closes the pipes of a child that has exited when they stay open: a descendant that has left the
 * process group may hold them for as long as it likes, and `close` comes only afterwards.
 */
export function limitOpenPipes(child: GroupChild, expired: () => void, msMax = openPipesMsMax): void {
  let timer: NodeJS.Timeout | undefined;
  const expire = () => {
    expired();
    for (const stream of child.stdio) stream?.destroy();
  };
  // In two halves: after a delay of this process itself, what has arrived meanwhile is read first.
  const wait = () => (timer = setTimeout(() => (timer = setTimeout(expire, msMax / 2)), msMax / 2));
  child.on('exit', wait).on('close', () => clearTimeout(timer));
}

/** Kills a child and the rest of its process group. */
export function killGroup(child: ChildProcess | SpawnedChild): void {
  // Once the child has exited, its pid may belong to another process.
  if (child.exitCode !== null || child.signalCode !== null) return;
  if (child instanceof SpawnedChild) child.killGroup();
  else if (child.pid !== undefined) killGroupOf(child.pid);
}
