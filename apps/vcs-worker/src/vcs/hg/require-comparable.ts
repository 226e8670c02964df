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
/** Paths whose sizes one command looks up, for each of which Mercurial opens the history of the file, in 0.1 ms. */
const sizedAtOnce = 5_000;

/** Runs one such command. One that finds no end in its time has too much to look up, and its repository is not to blame. */
async function sizes(hg: HgCommands, path: string, args: readonly string[], signal?: AbortSignal): Promise<Buffer> {
  try {
    return await hg.run(path, ['trunkline-changes', ...args], { signal, mayBeLong: true });
  } catch (error) {
    const isSlow = error instanceof VcsError && error.kind === 'timeout' && !(error instanceof NoServerError);
    throw isSlow ? new VcsError('too-large', 'the changed paths took too long to be sized', { cause: error }) : error;
  }
}

/**
 * Throws VcsError `too-large` when a changeset and its first parent differ in too many paths, or in a file that is too
 * large to be compared. A kept server counts both by its indexes, so that nothing is unpacked and no process begins.
 */
export async function requireComparable(
  hg: HgCommands,
  path: string,
  rawId: string,
  signal?: AbortSignal,
): Promise<void> {
  let paths = 0;
  for (let first = 0; first === 0 || first < paths; first += sizedAtOnce) {
    const bounds = [`--first=${first}`, `--paths-max=${pathsMax}`, `--sized-max=${sizedAtOnce}`];
    const output = await sizes(hg, path, [`--rev=${rawId}`, ...bounds], signal);
    const [found = 0, largest = 0] = output.toString().split(' ').map(Number);
    if (found > pathsMax) throw new VcsError('too-large', `more than ${pathsMax} changed paths`);
    if (largest > fileBytesMax) throw new VcsError('too-large', `a changed file of more than ${fileBytesMax} bytes`);
    paths = found;
  }
}
