import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { killGroupOf } from '../kill-group-of.ts';
import type { CommandReport } from './protocol.ts';

interface Events {
  exit: [exitCode: number | null, signalCode: string | null];
  close: [exitCode: number | null, signalCode: string | null];
  error: [error: Error];
  /** The process that has started the command has died or does not answer; `exit` and `close` follow. */
  lost: [];
}

/** A command that a spawner has started. Its events are those of ChildProcess, and `lost`. */
export class SpawnedChild extends EventEmitter<Events> {
  readonly pid: number;
  readonly stdin: Socket;
  readonly stdout: Socket;
  readonly stderr: Socket;
  readonly stdio: readonly [Socket, Socket, Socket];
  readonly #kill: () => void;
  exitCode: number | null = null;
  signalCode: string | null = null;
  #open: number;

  constructor(pid: number, stdio: readonly [Socket, Socket, Socket], kill: () => void) {
    super();
    this.pid = pid;
    this.stdio = stdio;
    [this.stdin, this.stdout, this.stderr] = stdio;
    this.#kill = kill;
    // And the process itself.
    this.#open = stdio.length + 1;
    for (const stream of stdio) {
      if (stream.closed) this.#closed();
      else stream.once('close', () => this.#closed());
    }
  }

  /** Kills the command and the rest of its process group. */
  killGroup(): void {
    this.#kill();
  }

  /** Records that the process has ended. */
  end(exitCode: number | null, signalCode: string | null): void {
    this.exitCode = exitCode;
    this.signalCode = signalCode;
    this.stdin.destroy();
    this.emit('exit', exitCode, signalCode);
    this.#closed();
  }

  #closed(): void {
    this.#open -= 1;
    if (this.#open === 0) this.emit('close', this.exitCode, this.signalCode);
  }
}

/** The process that starts commands has died, does not answer or does not reach its worker; the command may have run. */
export class SpawnerLostError extends Error {}

/** A command from the request that starts it until its end. */
export class PendingStart {
  readonly started: Promise<SpawnedChild>;
  /** Settles when the command has ended, or has not started. */
  readonly ended: Promise<void>;
  readonly #kill: () => void;
  readonly #streams: (Socket | undefined)[] = [];
  #pid: number | undefined;
  #child: SpawnedChild | undefined;
  #isLost = false;
  #hasEnded = false;
  #start: (child: SpawnedChild) => void = () => {};
  #refuse: (error: Error) => void = () => {};
  #end: () => void = () => {};

  constructor(kill: () => void) {
    this.#kill = kill;
    this.started = new Promise((resolve, reject) => {
      this.#start = resolve;
      this.#refuse = reject;
    });
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  /** Whether the spawner has told that the command runs, perhaps without all of its streams. */
  get isAnswered(): boolean {
    return this.#pid !== undefined;
  }

  /** Takes a stream of the command. */
  readonly take = (number: number, socket: Socket): void => {
    this.#streams[number] = socket;
    this.#startWhenWhole();
  };

  hear(report: CommandReport): void {
    if ('failed' in report) this.#fail(errorOf(report.failed, report.isUnreachable));
    else if ('pid' in report) {
      this.#pid = report.pid;
      this.#startWhenWhole();
    } else {
      const { exitCode, signalCode } = report;
      this.#hasEnded = true;
      // A short command may have ended before its streams are here; those who await them listen after that.
      this.started.then(
        (child) => setImmediate(() => this.#finish(child, exitCode, signalCode)),
        () => {},
      );
    }
  }

  /** Ends the command, whose spawner tells nothing more of it. */
  lose(reason: string): void {
    this.#isLost = true;
    this.#killRest();
    if (!this.#child) this.#fail(new SpawnerLostError(`the command did not start: ${reason}`));
    else if (!this.#hasEnded) {
      this.#child.emit('lost');
      this.#finish(this.#child, null, 'SIGKILL');
    }
  }

  #killRest(): void {
    // The id of a process that has ended may belong to another one.
    if (this.#pid !== undefined && !this.#hasEnded) killGroupOf(this.#pid);
  }

  #startWhenWhole(): void {
    const [stdin, stdout, stderr] = this.#streams;
    if (this.#child || this.#pid === undefined || !stdin || !stdout || !stderr) return;
    const kill = () => (this.#isLost ? this.#killRest() : this.#kill());
    this.#child = new SpawnedChild(this.#pid, [stdin, stdout, stderr], kill);
    this.#start(this.#child);
  }

  #finish(child: SpawnedChild, exitCode: number | null, signalCode: string | null): void {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.end(exitCode, signalCode);
    this.#end();
  }

  #fail(error: Error): void {
    for (const stream of this.#streams) stream?.destroy();
    this.#refuse(error);
    this.#end();
  }
}

function errorOf(code: string, isUnreachable: boolean): Error {
  const text = `the command did not start: ${code}`;
  return isUnreachable ? new SpawnerLostError(text) : Object.assign(new Error(text), { code });
}
