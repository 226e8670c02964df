import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { type DestinationStream, pino } from 'pino';
import { withTimeout } from './concurrency/waits.ts';

const tryMs = 10;
const triesMax = 50;
const writesEndMs = 50;

/** What takes the bytes of a log. */
export interface LogSink {
  /** Passes the number of bytes that were taken to `done`, 0 with an error. */
  write(bytes: Buffer, done: (error: Error | null, written: number) => void): void;
  /** Writes while the process ends: gives up at an error, or when it has waited for half a second in all. */
  writeSync(bytes: Buffer): void;
  /** Blocks for the moment in which a write that another thread has begun usually ends. */
  letWritesEnd(): void;
}

function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}

/**
 * Opens a pipe once more, without blocking: a write to a pipe that nobody reads would otherwise hold a thread of the
 * pool, and the end of the process, for good. Other processes that write to the pipe keep their own mode.
 */
function withoutBlocking(fd: number): number {
  try {
    if (!fstatSync(fd).isFIFO()) return fd;
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // Not Linux, or the pipe of another user.
    return fd;
  }
}

/** Returns the sink that writes to a file descriptor. */
export function fileSink(givenFd: number): LogSink {
  const fd = withoutBlocking(givenFd);
  return {
    write: (bytes, done) => write(fd, bytes, (error, written) => done(error, error === null ? written : 0)),
    writeSync(bytes) {
      let rest = bytes;
      for (let tries = 0; rest.length > 0 && tries < triesMax;) {
        try {
          rest = rest.subarray(writeSync(fd, rest));
        } catch (error) {
          if (!isFull(error)) return;
          sleepSync(tryMs);
          tries += 1;
        }
      }
    },
    letWritesEnd: () => sleepSync(writesEndMs),
  };
}

const warningLevel = 40;
const errorLevel = 50;
/** How long lines below the level of a warning may wait to be written together. */
const waitMsMax = 100;
/** Number of waiting bytes that are written without waiting for more. */
const chunkBytes = 16 * 1024;
/** The pause before an output that refused bytes is tried again grows from the first to the second. */
const pauseMsMin = 1;
const pauseMsMax = 100;
const heldBytesMax = 2 ** 20;
/** Warnings and errors have this much on top, so that a burst of calls does not crowd them out. */
const urgentBytesMax = heldBytesMax + 2 ** 16;
const flushMsMax = 1_000;

const empty = Buffer.alloc(0);

/**
 * Writes lines of the log to a sink, lines of calls together and warnings at once, in their order. When the sink takes
 * nothing, it holds a bounded number of bytes, drops further lines and has their number reported.
 */
export class LogOutput implements DestinationStream {
  /** Makes pino set `lastLevel` before each write. */
  readonly [pino.symbols.needsMetadataGsym] = true;
  lastLevel = 0;
  /** Called with the number of dropped lines when everything that was held has been written. */
  onDropped: (lines: number) => void = () => {};
  /** The last line of an error. */
  lastError: string | null = null;

  readonly #sink: LogSink;
  #waiting = '';
  #waitingBytes = 0;
  /** Whether waiting lines are to be written as soon as the sink has taken those before them. */
  #due = false;
  #timer: NodeJS.Timeout | undefined;
  /** Bytes that the sink has not taken yet. */
  #chunk: Buffer = empty;
  #state: 'idle' | 'writing' | 'paused' = 'idle';
  #pauseMs = pauseMsMin;
  #dropped = 0;
  #onIdle: (() => void)[] = [];

  constructor(sink: LogSink) {
    this.#sink = sink;
  }

  write(line: string): void {
    const urgent = this.lastLevel >= warningLevel;
    if (this.lastLevel >= errorLevel) this.lastError = line;
    const bytes = Buffer.byteLength(line);
    const held = this.#chunk.length + this.#waitingBytes;
    // Once a line was dropped, all like it are until the report, which then stands where they are missing.
    if (held + bytes > (urgent ? urgentBytesMax : heldBytesMax) || (!urgent && this.#dropped > 0)) {
      this.#dropped += 1;
      // A line that is too long even for an empty output.
      if (held === 0) this.#reportDropped();
      return;
    }
    this.#waiting += line;
    this.#waitingBytes += bytes;
    if (urgent || this.#waitingBytes >= chunkBytes) this.#writeWaiting();
    else this.#timer ??= setTimeout(() => this.#writeWaiting(), waitMsMax).unref();
  }

  /** Calls `done` when all lines are written, or after a second. */
  flush(done: () => void): void {
    this.#writeWaiting();
    if (this.#state === 'idle') {
      done();
      return;
    }
    const idle = new Promise<void>((resolve) => this.#onIdle.push(resolve));
    void withTimeout(idle, flushMsMax, () => {}).then(done);
  }

  /** Writes all lines before it returns, unless the sink refuses them: for the moment before the process ends. */
  flushSync(): void {
    const unsent = this.#state === 'writing' ? empty : this.#chunk;
    if (this.#state === 'writing') this.#sink.letWritesEnd();
    const bytes = Buffer.concat([unsent, this.#takeWaiting()]);
    if (unsent.length > 0) this.#chunk = empty;
    this.#sink.writeSync(bytes);
  }

  #takeWaiting(): Buffer {
    clearTimeout(this.#timer);
    const bytes = Buffer.from(this.#waiting);
    this.#timer = undefined;
    this.#due = false;
    this.#waiting = '';
    this.#waitingBytes = 0;
    return bytes;
  }

  #writeWaiting(): void {
    this.#due = this.#waiting !== '';
    if (!this.#due || this.#state !== 'idle') return;
    this.#chunk = this.#takeWaiting();
    this.#writeChunk();
  }

  #writeChunk(): void {
    this.#state = 'writing';
    this.#sink.write(this.#chunk, (error, written) => {
      this.#chunk = this.#chunk.subarray(written);
      if (written > 0) this.#pauseMs = pauseMsMin;
      if (this.#chunk.length === 0) this.#chunkWritten();
      else if (error === null && written > 0) this.#writeChunk();
      else this.#pause();
    });
  }

  /** A full disk gets space, and a pipe a reader: no error is final. */
  #pause(): void {
    this.#state = 'paused';
    setTimeout(() => (this.#chunk.length === 0 ? this.#chunkWritten() : this.#writeChunk()), this.#pauseMs).unref();
    this.#pauseMs = Math.min(2 * this.#pauseMs, pauseMsMax);
  }

  #chunkWritten(): void {
    this.#state = 'idle';
    if (this.#waiting === '') {
      this.#reportDropped();
      for (const done of this.#onIdle.splice(0)) done();
    }
    if (this.#due) this.#writeWaiting();
  }

  #reportDropped(): void {
    const lines = this.#dropped;
    this.#dropped = 0;
    if (lines > 0) this.onDropped(lines);
  }
}
