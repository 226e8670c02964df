import { spawn, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import * as v from 'valibot';
import { killGroupOf } from '../kill-group-of.ts';
import { dieWithParent } from '../limited-command.ts';
import type { CommandReport, SpawnerRequest } from './messages.ts';

/** The built program, also when the worker runs from sources: a plain node runs the file. */
const program = createRequire(import.meta.url).resolve('@trunkline/vcs-worker/spawner');
/** Pings in succession that may stay without an answer. */
const unansweredMax = 6;

const Report = v.union([
  v.object({ alive: v.literal(true) }),
  v.object({ id: v.string(), pid: v.number() }),
  v.object({ id: v.string(), failed: v.string(), isUnreachable: v.boolean() }),
  v.object({ id: v.string(), exitCode: v.nullable(v.number()), signalCode: v.nullable(v.string()) }),
]);

export interface ProcessListener {
  hear(report: CommandReport): void;
  /** The process has died, or was killed since it did not answer; called once. */
  lose(reason: string): void;
}

/** One process that starts commands. */
export class SpawnerProcess {
  readonly #child: ChildProcess;
  readonly #listener: ProcessListener;
  readonly #pingMs: number;
  #pings: NodeJS.Timeout | undefined;
  #unanswered = 0;
  #isAlive = false;
  #isLost = false;

  /** Throws when the system starts no process. The process is asked whether it is alive every `pingMs` while it is held. */
  constructor(socketPath: string, listener: ProcessListener, pingMs: number) {
    this.#listener = listener;
    this.#pingMs = pingMs;
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
    return this.#isAlive && this.#child.connected;
  }

  get wasReady(): boolean {
    return this.#isAlive;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  send(request: SpawnerRequest): void {
    // When it cannot be sent, the process has died, which ends all its commands.
    this.#child.send(request, () => {});
  }

  /** Keeps this process from ending, and asks whether the other one is alive, until `release`. */
  hold(): void {
    this.#child.channel?.ref();
    this.#pings ??= setInterval(() => this.#ping(), this.#pingMs).unref();
  }

  release(): void {
    this.#child.channel?.unref();
    clearInterval(this.#pings);
    this.#pings = undefined;
    this.#unanswered = 0;
  }

  /** Kills the process, and with it its commands. */
  lose(reason: string): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.release();
    this.#child.kill('SIGKILL');
    this.#listener.lose(reason);
  }

  /** Pings are counted, and not the time: after a suspension of this process, an answer may be waiting to be read. */
  #ping(): void {
    if (this.#unanswered >= unansweredMax) {
      this.lose('the process does not answer');
      return;
    }
    this.#unanswered += 1;
    this.send({ ping: true });
  }

  #hear(message: unknown): void {
    const report = v.parse(Report, message);
    this.#unanswered = 0;
    if ('alive' in report) this.#isAlive = true;
    else if (!this.#isLost) this.#listener.hear(report);
    // Its start was given up.
    else if ('pid' in report) killGroupOf(report.pid);
  }
}
