import { availableParallelism } from 'node:os';

/** What one process may take; what is absent has no bound. */
export interface CommandLimits {
  /** Of address space. */
  readonly memoryBytes: number;
  /** Of one file. */
  readonly fileBytes?: number;
  /** Of processor time. */
  readonly cpuSeconds?: number;
}

interface WorkLimits {
  readonly memoryBytes: number;
  readonly importBytesMax: number;
  readonly fetchTimeoutMs: number;
}

export interface LimitsByWork {
  /** Imports and pulls, which read what strangers send. */
  readonly fetch: CommandLimits & { readonly fileBytes: number };
  /** Copies on the same disk, without a limit of size. */
  readonly fork: CommandLimits;
  /** What ends with its own command. */
  readonly read: CommandLimits;
  /** What is kept: each command has its time, all together have none. */
  readonly serve: CommandLimits;
}

const mebibyte = 1024 * 1024;

/** What a reading command may write: caches, and nothing large. */
const cacheBytesMax = 1024 * mebibyte;

export function limitsByWork({ memoryBytes, importBytesMax, fetchTimeoutMs }: WorkLimits): LimitsByWork {
  const timeoutSeconds = Math.ceil(fetchTimeoutMs / 1_000);
  const cpuSeconds = timeoutSeconds * availableParallelism();
  return {
    // Stores may be larger than what was sent, since that may have been compressed as a whole.
    fetch: { memoryBytes, cpuSeconds, fileBytes: 4 * importBytesMax + 256 * mebibyte },
    fork: { memoryBytes, cpuSeconds },
    read: { memoryBytes, cpuSeconds: timeoutSeconds, fileBytes: cacheBytesMax },
    serve: { memoryBytes, fileBytes: cacheBytesMax },
  };
}
