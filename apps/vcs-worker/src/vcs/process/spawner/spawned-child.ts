import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';

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

  /** Notes that the process has ended. */
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
