import { accessSync, constants } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Limits of one process; an absent field means no limit. */
export interface CommandLimits {
  /** Limit of address space, in bytes. */
  readonly memoryBytes: number;
  /** Limit of private writable memory, in bytes: heaps and stacks, but not the packs that git maps. */
  readonly dataBytes?: number;
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
  /** Limits of maintenance, which writes all of a repository into one file. */
  readonly maintenance: CommandLimits;
  /** Limits of processes that run one local command, most of them to read, and then exit. */
  readonly oneShot: CommandLimits & { readonly cpuSeconds: number; readonly fileBytes: number };
  /** Limits of kept processes: each command has a timeout, the process has no limit of CPU time. */
  readonly keptProcess: CommandLimits;
}

const mebibyte = 1024 * 1024;

/** Limit of the size of a file that a reading command writes: caches are small. */
const cacheBytesMax = 1024 * mebibyte;

/**
 * Limit of the private memory of a process that reads. Git holds a file that is stored as a delta twice (measured: 2.0
 * to 2.2 times its size), and stores files up to 512 MB so; beyond that it maps packs, up to 256 MB.
 */
const readDataBytesMax = 1_280 * mebibyte;

export function limitsByWork({ memoryBytes, importBytesMax, fetchTimeoutMs }: WorkLimits): LimitsByWork {
  const timeoutSeconds = Math.ceil(fetchTimeoutMs / 1_000);
  const cpuSeconds = timeoutSeconds * availableParallelism();
  const dataBytes = Math.min(memoryBytes, readDataBytesMax);
  // Stores may be larger than the bytes received, which may have been compressed as a whole.
  const fileBytes = 4 * importBytesMax + 256 * mebibyte;
  return {
    fetch: { memoryBytes, cpuSeconds, fileBytes },
    fork: { memoryBytes, cpuSeconds },
    maintenance: { memoryBytes, cpuSeconds: timeoutSeconds, fileBytes },
    oneShot: { memoryBytes, dataBytes, cpuSeconds: timeoutSeconds, fileBytes: cacheBytesMax },
    keptProcess: { memoryBytes, dataBytes, fileBytes: cacheBytesMax },
  };
}

const setpriv = '/usr/bin/setpriv';
const prlimit = '/usr/bin/prlimit';
const ionice = '/usr/bin/ionice';

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const hasSetpriv = executable(setpriv);
const hasPrlimit = executable(prlimit);
const hasIonice = executable(ionice);

/** Returns a command that prlimit starts under limits, in a millisecond; without prlimit it runs without limits. */
export function limitedCommand(command: readonly string[], limits: CommandLimits): readonly string[] {
  if (!hasPrlimit) return command;
  const { memoryBytes, dataBytes, fileBytes, cpuSeconds } = limits;
  return [
    prlimit,
    '--core=0',
    `--as=${memoryBytes}`,
    ...(dataBytes === undefined ? [] : [`--data=${dataBytes}`]),
    ...(fileBytes === undefined ? [] : [`--fsize=${fileBytes}`]),
    // By SIGXCPU first: SIGKILL, which comes a second later, is also what others send.
    ...(cpuSeconds === undefined ? [] : [`--cpu=${cpuSeconds}:${cpuSeconds + 1}`]),
    '--',
    ...command,
  ];
}

/** Returns a command that the kernel kills (SIGKILL) when this process dies, where there is setpriv. */
export function dieWithParent(command: readonly string[]): readonly string[] {
  return [...(hasSetpriv ? [setpriv, '--pdeathsig', 'KILL', '--'] : []), ...command];
}

/** Returns a limited command that the kernel also kills (SIGKILL) when this process dies, where there is setpriv. */
export function dieWithParentCommand(command: readonly string[], limits: CommandLimits): readonly string[] {
  return dieWithParent(limitedCommand(command, limits));
}

/**
 * Returns a command that reads the disk while nothing else does, where there is ionice and the kernel's scheduler of the
 * disk has classes.
 */
export function idleCommand(command: readonly string[]): readonly string[] {
  return hasIonice ? [ionice, '--class', 'idle', '--ignore', '--', ...command] : command;
}
