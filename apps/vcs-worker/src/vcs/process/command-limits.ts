import { availableParallelism } from 'node:os';

/** Limits of one process; an absent field means no limit. */
export interface CommandLimits {
  /** Limit of address space, in bytes. */
  readonly memoryBytes: number;
  /** Limit of the size of each written file, in bytes. */
  readonly fileBytes?: number;
  /** Limit of CPU time, in seconds. */
  readonly cpuSeconds?: number;
}

interface WorkLimits {
  readonly memoryBytes: number;
  readonly importBytesMax: number;
  readonly fetchTimeoutMs: number;
}

export interface LimitsByWork {
  /** Limits of imports and pulls, which read untrusted data from remotes. */
  readonly fetch: CommandLimits & { readonly fileBytes: number };
  /** Limits of forks, which copy on the same disk, with no limit of file size. */
  readonly fork: CommandLimits;
  /** Limits of processes that run one local command, most of them to read, and then exit. */
  readonly oneShot: CommandLimits;
  /** Limits of kept processes: each command has a timeout, the process has no limit of CPU time. */
  readonly keptProcess: CommandLimits;
}

const mebibyte = 1024 * 1024;

/** Limit of the size of a file that a reading command writes: caches are small. */
const cacheBytesMax = 1024 * mebibyte;

export function limitsByWork({ memoryBytes, importBytesMax, fetchTimeoutMs }: WorkLimits): LimitsByWork {
  const timeoutSeconds = Math.ceil(fetchTimeoutMs / 1_000);
  const cpuSeconds = timeoutSeconds * availableParallelism();
  return {
    // Stores may be larger than the bytes received, which may have been compressed as a whole.
    fetch: { memoryBytes, cpuSeconds, fileBytes: 4 * importBytesMax + 256 * mebibyte },
    fork: { memoryBytes, cpuSeconds },
    oneShot: { memoryBytes, cpuSeconds: timeoutSeconds, fileBytes: cacheBytesMax },
    keptProcess: { memoryBytes, fileBytes: cacheBytesMax },
  };
}
