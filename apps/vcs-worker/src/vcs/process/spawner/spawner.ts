import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Server } from 'node:net';
import { withTimeout } from '@trunkline/runtime/concurrency';
import * as v from 'valibot';
import { dieWithParent } from '../command-limits.ts';
import { killGroupOf } from '../kill-group-of.ts';
import { idLength, takeStreams, type CommandReport, type SpawnerRequest } from './protocol.ts';
import { PendingStart, type SpawnedChild } from './spawned-child.ts';

let current: Spawner | undefined;

/** The spawner of this process; without one, commands are started by this process itself. */
export function currentSpawner(): Spawner | undefined {
  return current;
}

export function setCurrentSpawner(spawner: Spawner | undefined): void {
  current = spawner;
}

/** The built program, also when the worker runs from sources: a plain node runs the file. */
const program = createRequire(import.meta.url).resolve('@trunkline/vcs-worker/spawner');
/** Time after which a process that was lost is followed by another one, in milliseconds; doubled while none begins to run. */
const restartMsMin = 1_000;
const restartMsMax = 60_000;
/** Time in which a command has to start, in milliseconds. */
const startMsMax = 30_000;

const Report = v.union([
  v.object({ isReady: v.literal(true) }),
  v.object({ id: v.string(), pid: v.number() }),
  v.object({ id: v.string(), failed: v.string(), isUnreachable: v.boolean() }),
  v.object({ id: v.string(), exitCode: v.nullable(v.number()), signalCode: v.nullable(v.string()) }),
]);

interface ProcessListener {
  hear(report: CommandReport): void;
  /** The process has died, or was killed since it did not answer; called once. */
  lose(reason: string): void;
}

/** One process that starts commands. */
class SpawnerProcess {
  readonly #child: ChildProcess;
  readonly #listener: ProcessListener;
  #hasBegun = false;
  #isLost = false;

  /** Throws when the system starts no process. */
  constructor(socketPath: string, listener: ProcessListener) {
    this.#listener = listener;
    const [file = '', ...args] = dieWithParent([process.execPath, program, socketPath]);
    const child = spawn(file, args, {
      env: {},
      detached: true,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.on('message', (message) => this.#hear(message));
    child.on('error', ({ message }) => this.lose(message));
    child.on('exit', (code, signal) => this.lose(`the process ended with ${code ?? signal}`));
    child.unref();
    child.channel?.unref();
    this.#child = child;
  }

  /** Whether commands can be started: the program has begun to run, and has not ended. */
  get isReady(): boolean {
    return this.#hasBegun && this.#child.connected;
  }

  get wasReady(): boolean {
    return this.#hasBegun;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  send(request: SpawnerRequest): void {
    // When it cannot be sent, the process has died, which ends all its commands.
    this.#child.send(request, () => {});
  }

  /** Keeps this process from ending until `release`. */
  hold(): void {
    this.#child.channel?.ref();
  }

  release(): void {
    this.#child.channel?.unref();
  }

  /** Kills the process, and with it its commands. */
  lose(reason: string): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.release();
    this.#child.kill('SIGKILL');
    this.#listener.lose(reason);
  }

  #hear(message: unknown): void {
    const report = v.parse(Report, message);
    if ('isReady' in report) this.#hasBegun = true;
    else if (!this.#isLost) this.#listener.hear(report);
    // Its start was given up.
    else if ('pid' in report) killGroupOf(report.pid);
  }
}

/**
 * A small process that starts commands for this one. A fork copies the tables of all memory of a process, and its caller
 * stands still until the command has been loaded, which for a worker is ten milliseconds and under load many more.
 */
export class Spawner {
  readonly #path: string;
  readonly #onLost: (reason: string) => void;
  readonly #startMs: number;
  readonly #commands = new Map<string, PendingStart>();
  #server: Server | undefined;
  #process: SpawnerProcess | undefined;
  #restartMs = restartMsMin;
  #isClosed = false;

  /** The path is that of a socket in a private directory; `onLost` is called when the process was lost. */
  constructor(path: string, onLost: (reason: string) => void = () => {}, startMs = startMsMax) {
    this.#path = path;
    this.#onLost = onLost;
    this.#startMs = startMs;
  }

  async start(): Promise<void> {
    await this.#listen();
    this.#startProcess();
  }

  /** Whether commands can be started; otherwise their caller starts them itself. */
  get isReady(): boolean {
    return this.#process?.isReady === true;
  }

  /** Process id of the spawner, for tests. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /**
   * Starts a command as the leader of its own process group. Rejects with the system's error when that fails, and with
   * SpawnerLostError when the spawner tells nothing of it.
   */
  async run(command: readonly string[], env: NodeJS.ProcessEnv): Promise<SpawnedChild> {
    const id = randomBytes(idLength / 2).toString('hex');
    const pending = new PendingStart(() => this.#kill(id, pending));
    this.#commands.set(id, pending);
    this.#process?.hold();
    void pending.ended.then(() => this.#forget(id));
    this.#send({ start: id, command, env });
    const started = <T>(late: () => T) => withTimeout(pending.started, this.#startMs / 2, late);
    // In two halves: after a delay of this process itself, what has arrived meanwhile is read first.
    return await started(() => started(() => this.#giveUp(pending)));
  }

  /** Ends the process and its commands; connections of what they have started end by themselves. */
  close(): void {
    this.#isClosed = true;
    this.#process?.lose('closed');
    this.#server?.close();
  }

  async #listen(): Promise<void> {
    this.#server?.close();
    this.#server = await takeStreams(this.#path, (id) => this.#commands.get(id)?.take);
  }

  /** Kills a command; where its end is not told in time, another start shows whether the process still answers. */
  #kill(id: string, pending: PendingStart): void {
    this.#send({ kill: id });
    // Without a program nothing starts, which a process that answers tells.
    const ask = () => void this.run([], {}).catch(() => {});
    const timer = setTimeout(ask, this.#startMs).unref();
    void pending.ended.then(() => clearTimeout(timer));
  }

  /** Gives a command up that has not started in time, and its process when that tells nothing of the command. */
  #giveUp(pending: PendingStart): Promise<SpawnedChild> {
    if (!pending.isAnswered) this.#process?.lose('the process does not answer');
    pending.lose(`no start in ${this.#startMs} ms`);
    return pending.started;
  }

  #forget(id: string): void {
    this.#commands.delete(id);
    if (this.#commands.size === 0) this.#process?.release();
  }

  #send(request: SpawnerRequest): void {
    this.#process?.send(request);
  }

  #startProcess(): void {
    const listener = {
      hear: (report: CommandReport) => this.#hear(report),
      lose: (reason: string) => this.#lose(reason),
    };
    try {
      this.#process = new SpawnerProcess(this.#path, listener);
    } catch (error) {
      this.#lose(error instanceof Error ? error.message : 'no process');
    }
  }

  #hear(report: CommandReport): void {
    const command = this.#commands.get(report.id);
    if (command) command.hear(report);
    // It has started too late.
    else if ('pid' in report) this.#send({ kill: report.id });
    if ('failed' in report && report.isUnreachable && !existsSync(this.#path)) {
      this.#process?.lose('the socket is gone');
    }
  }

  /** Ends all commands of a process that was lost, and starts another one. */
  #lose(reason: string): void {
    this.#restartMs = this.#process?.wasReady === true ? restartMsMin : Math.min(2 * this.#restartMs, restartMsMax);
    this.#process = undefined;
    for (const command of this.#commands.values()) command.lose(reason);
    if (this.#isClosed) return;
    this.#onLost(reason);
    setTimeout(() => void this.#restart(), this.#restartMs).unref();
  }

  async #restart(): Promise<void> {
    if (this.#isClosed) return;
    try {
      if (!existsSync(this.#path)) await this.#listen();
      this.#startProcess();
    } catch {
      this.#lose('the socket cannot be opened');
    }
  }
}
