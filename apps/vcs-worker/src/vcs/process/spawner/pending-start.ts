import type { Socket } from 'node:net';
import { killGroupOf } from '../kill-group-of.ts';
import type { SpawnerReport } from './messages.ts';
import { SpawnedChild } from './spawned-child.ts';

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

  /** Takes a stream of the command. */
  readonly take = (number: number, socket: Socket): void => {
    this.#streams[number] = socket;
    this.#startWhenWhole();
  };

  hear(report: SpawnerReport): void {
    if ('failed' in report) this.#fail(report.failed);
    else if ('pid' in report) {
      this.#pid = report.pid;
      this.#startWhenWhole();
    } else {
      const { exitCode, signalCode } = report;
      // A short command may have ended before its streams are here; those who await them listen after that.
      this.started.then(
        (child) => setImmediate(() => this.#finish(child, exitCode, signalCode)),
        () => {},
      );
    }
  }

  /** Ends the command, whose spawner has died. */
  lose(): void {
    this.#isLost = true;
    this.#killRest();
    if (this.#child) this.#finish(this.#child, null, 'SIGKILL');
    else this.#fail('SIGKILL');
  }

  #killRest(): void {
    if (this.#pid !== undefined) killGroupOf(this.#pid);
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

  #fail(code: string): void {
    for (const stream of this.#streams) stream?.destroy();
    this.#refuse(Object.assign(new Error(`the command did not start: ${code}`), { code }));
    this.#end();
  }
}
