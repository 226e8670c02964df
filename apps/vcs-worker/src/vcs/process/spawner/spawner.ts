import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Server } from 'node:net';
import { withTimeout } from '@trunkline/runtime/concurrency';
import { takeStreams } from './incoming-streams.ts';
import { idLength, type CommandReport, type SpawnerRequest } from './messages.ts';
import { PendingStart } from './pending-start.ts';
import type { SpawnedChild } from './spawned-child.ts';
import { SpawnerProcess } from './spawner-process.ts';

/** Time after which a process that was lost is followed by another one, in milliseconds; doubled while none begins to run. */
const restartMsMin = 1_000;
const restartMsMax = 60_000;
/** Time in which a command has to start, in milliseconds. */
const startMsMax = 30_000;
const pingMsDefault = 3_000;

/**
 * A small process that starts commands for this one. A fork copies the tables of all memory of a process, and its caller
 * stands still until the command has been loaded, which for a worker is ten milliseconds and under load many more.
 */
export class Spawner {
  readonly #path: string;
  readonly #noteEnd: (reason: string) => void;
  readonly #pingMs: number;
  readonly #commands = new Map<string, PendingStart>();
  #server: Server | undefined;
  #process: SpawnerProcess | undefined;
  #restartMs = restartMsMin;
  #isClosed = false;

  /** The path is that of a socket in a private directory; `noteEnd` is called when the process was lost. */
  constructor(path: string, noteEnd: (reason: string) => void = () => {}, pingMs = pingMsDefault) {
    this.#path = path;
    this.#noteEnd = noteEnd;
    this.#pingMs = pingMs;
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
    const pending = new PendingStart(() => this.#send({ kill: id }));
    this.#commands.set(id, pending);
    this.#process?.hold();
    void pending.ended.then(() => this.#forget(id));
    this.#send({ start: id, command, env });
    return withTimeout(pending.started, startMsMax, () => {
      pending.lose(`no answer in ${startMsMax} ms`);
      return pending.started;
    });
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
      this.#process = new SpawnerProcess(this.#path, listener, this.#pingMs);
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
    this.#noteEnd(reason);
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
