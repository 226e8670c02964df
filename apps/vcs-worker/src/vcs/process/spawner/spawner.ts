import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { withTimeout } from '@trunkline/runtime/concurrency';
import * as v from 'valibot';
import { dieWithParent } from '../limited-command.ts';
import { takeStreams } from './incoming-streams.ts';
import { idLength, type SpawnerRequest } from './messages.ts';
import { PendingStart } from './pending-start.ts';
import type { SpawnedChild } from './spawned-child.ts';

/** The program in dist, also when the worker runs from sources: a plain node runs the file. */
const program = fileURLToPath(new URL('../../../../dist/vcs/process/spawner/main.js', import.meta.url));
/** Time after which a spawner that has died is followed by another one, in milliseconds. */
const restartMs = 1_000;
/** Time in which a command has to start, in milliseconds. */
const startMsMax = 30_000;

const Report = v.union([
  v.object({ id: v.string(), pid: v.number() }),
  v.object({ id: v.string(), failed: v.string() }),
  v.object({ id: v.string(), exitCode: v.nullable(v.number()), signalCode: v.nullable(v.string()) }),
]);

/**
 * A small process that starts commands for this one. A fork copies the tables of all memory of a process, and its caller
 * stands still until the command has been loaded, which for a worker is ten milliseconds and under load many more.
 */
export class Spawner {
  readonly #path: string;
  readonly #noteEnd: () => void;
  readonly #commands = new Map<string, PendingStart>();
  #server: Server | undefined;
  #process: ChildProcess | undefined;
  #isClosed = false;

  /** The path is that of a socket in a private directory; `noteEnd` is called when the process has died. */
  constructor(path: string, noteEnd: () => void = () => {}) {
    this.#path = path;
    this.#noteEnd = noteEnd;
  }

  async start(): Promise<void> {
    this.#server = await takeStreams(this.#path, (id) => this.#commands.get(id)?.take);
    this.#startProcess();
  }

  /** Whether commands can be started; otherwise their caller starts them itself. */
  get isReady(): boolean {
    return this.#process?.connected === true;
  }

  /** Process id of the spawner, for tests. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Starts a command as the leader of its own process group. Rejects with the system's error when that fails. */
  async run(command: readonly string[], env: NodeJS.ProcessEnv): Promise<SpawnedChild> {
    const id = randomBytes(idLength / 2).toString('hex');
    const pending = new PendingStart(() => this.#send({ kill: id }));
    this.#commands.set(id, pending);
    this.#process?.channel?.ref();
    void pending.ended.then(() => this.#forget(id));
    this.#send({ start: id, command, env });
    return withTimeout(pending.started, startMsMax, () => {
      pending.lose();
      throw new Error(`the command did not start in ${startMsMax} ms`);
    });
  }

  /** Ends the process and its commands; connections of what they have started end by themselves. */
  close(): void {
    this.#isClosed = true;
    this.#process?.kill('SIGKILL');
    this.#server?.close();
  }

  #forget(id: string): void {
    this.#commands.delete(id);
    // This process may end while no command runs.
    if (this.#commands.size === 0) this.#process?.channel?.unref();
  }

  #startProcess(): void {
    const [file = '', ...args] = dieWithParent([process.execPath, program, this.#path]);
    const child = spawn(file, args, {
      env: {},
      detached: true,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.on('message', (message) => this.#hear(message));
    const lose = () => this.#lose(child);
    child.on('error', lose).on('disconnect', lose).on('exit', lose);
    child.unref();
    child.channel?.unref();
    this.#process = child;
  }

  #send(request: SpawnerRequest): void {
    // When it cannot be sent, the process has died, which ends all its commands.
    this.#process?.send(request, () => {});
  }

  #hear(message: unknown): void {
    const report = v.parse(Report, message);
    const command = this.#commands.get(report.id);
    if (command) command.hear(report);
    // It has started too late.
    else if ('pid' in report) this.#send({ kill: report.id });
  }

  /** Ends all commands of a process that has died, or no longer answers, and starts another one. */
  #lose(child: ChildProcess): void {
    if (this.#process !== child) return;
    this.#process = undefined;
    child.kill('SIGKILL');
    for (const command of this.#commands.values()) command.lose();
    if (this.#isClosed) return;
    this.#noteEnd();
    setTimeout(() => !this.#isClosed && this.#startProcess(), restartMs).unref();
  }
}
