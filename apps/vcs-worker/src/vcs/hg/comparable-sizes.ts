import { VcsError } from '../vcs-error.ts';
import type { HgCommands } from './hg-commands.ts';
import { NoServerError } from './server-pool.ts';

/** As many as git compares. */
const pathsMax = 200_000;
/**
 * Mercurial holds both contents of a file in memory, split into lines: two texts of this size without a line in common need
 * 1.1 GB (measured), and a process that reads may use 1.25 GB.
 */
const fileBytesMax = 64 * 1024 * 1024;
/**
 * Time in which one command looks sizes up, in seconds, and all of them together, in milliseconds. Mercurial opens the
 * history of each file, in 0.1 ms; each command finds out anew which files were copied, which may take a second.
 */
const secondsAtOnce = 3;
const sizingMsMax = 60_000;

function tooSlow(cause?: unknown): VcsError {
  return new VcsError('too-large', 'the changed paths took too long to be sized', { cause });
}

/** Runs one such command. One that finds no end in its time has too much to look up, and its repository is not to blame. */
async function sizes(hg: HgCommands, path: string, args: readonly string[], signal?: AbortSignal): Promise<Buffer> {
  try {
    return await hg.run(path, ['trunkline-changes', ...args], { signal, mayBeLong: true });
  } catch (error) {
    const isSlow = error instanceof VcsError && error.kind === 'timeout' && !(error instanceof NoServerError);
    throw isSlow ? tooSlow(error) : error;
  }
}

interface Sizing {
  /** With which changeset is compared, null for none; absent, it is a parent. */
  readonly base?: string | null | undefined;
  readonly parent?: number | undefined;
  readonly signal?: AbortSignal;
}

/**
 * Throws VcsError `too-large` when a changeset and a parent, of which it has two at most, or `base`, differ in too many paths, or in a file that is too
 * large to be compared. A kept server counts both by its indexes, so that nothing is unpacked and no process begins.
 */
export async function requireComparableSizes(
  hg: HgCommands,
  path: string,
  rawId: string,
  { base, parent = 1, signal }: Sizing = {},
): Promise<void> {
  const sides = [`--rev=${rawId}`, `--parent=${parent}`, ...(base === undefined ? [] : [`--base=${base ?? 'null'}`])];
  const until = performance.now() + sizingMsMax;
  for (let first = 0; ;) {
    const bounds = [`--first=${first}`, `--paths-max=${pathsMax}`, `--seconds=${secondsAtOnce}`];
    const output = await sizes(hg, path, [...sides, ...bounds], signal);
    const [paths = 0, largest = 0, reached = 0] = output.toString().split(' ').map(Number);
    if (paths > pathsMax) throw new VcsError('too-large', `more than ${pathsMax} changed paths`);
    if (largest > fileBytesMax) throw new VcsError('too-large', `a changed file of more than ${fileBytesMax} bytes`);
    if (reached >= paths) return;
    if (reached <= first || performance.now() >= until) throw tooSlow();
    first = reached;
  }
}
