import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';

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
