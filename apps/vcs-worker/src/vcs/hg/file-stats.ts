import { nameText } from '@trunkline/runtime/text';
import type { FileStat } from '../content.ts';
import { VcsError } from '../vcs-error.ts';
import { diffStart, fixedDiffSettings, readPatchHead } from './diff.ts';
import type { HgCommands } from './hg-commands.ts';
import type { HgContentTools } from './hg-stream.ts';
import { requireComparableSizes } from './comparable-sizes.ts';

const patchBytesMax = 1024 * 1024;

type LineCount = Pick<FileStat, 'linesAdded' | 'linesRemoved'>;
/** Counts by the file's path, one character for each byte of the path. */
type LineCounts = ReadonlyMap<string, LineCount>;

const uncounted: LineCount = { linesAdded: null, linesRemoved: null };
const unchanged: LineCount = { linesAdded: 0, linesRemoved: 0 };

const fileLine = /^diff -r [0-9a-f]{12} -r [0-9a-f]{12} ([^]*)$/;
const hunkLine = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const binaryLine = /^Binary file [^]* has changed$/;

/** Counts the lines of a diff in Mercurial's own format, in which a rename is a removal and an addition. */
function countLines(diff: string): LineCounts {
  const counts = new Map<string, LineCount>();
  let name = '';
  // No line of a file's content matches: in a diff such lines begin with `+`, `-` or a space.
  for (const line of diff.split('\n')) {
    const file = fileLine.exec(line);
    const hunk = hunkLine.exec(line);
    if (file) {
      name = file[1] ?? '';
      counts.set(name, unchanged);
    } else if (hunk) {
      const { linesAdded, linesRemoved } = counts.get(name) ?? unchanged;
      counts.set(name, {
        linesAdded: (linesAdded ?? 0) + Number(hunk[2] ?? 1),
        linesRemoved: (linesRemoved ?? 0) + Number(hunk[1] ?? 1),
      });
    } else if (binaryLine.test(line)) counts.set(name, uncounted);
  }
  return counts;
}

/** Counts the lines of a changeset by file; returns null when the patch is too large or takes too long. */
async function readLineCounts(hg: HgCommands, path: string, rawId: string): Promise<LineCounts | null> {
  const head = await readPatchHead(hg, path, rawId);
  const args = [...fixedDiffSettings, '--config=diff.unified=0', 'export', `--rev=${rawId}`];
  try {
    await requireComparableSizes(hg, path, rawId);
    const patch = await hg.run(path, args, { stdoutBytesMax: patchBytesMax });
    return countLines(patch.toString('latin1', diffStart(patch, head) ?? patch.length));
  } catch (error) {
    if (error instanceof VcsError && (error.kind === 'too-large' || error.kind === 'timeout')) return null;
    throw error;
  }
}

const namesBytesMax = 8 * 1024 * 1024;

const changes = { A: 'added', M: 'changed', R: 'removed' } as const;

interface ChangedFile {
  /** The bytes of the file's path, one character for each byte. */
  readonly bytes: string;
  readonly change: FileStat['change'];
}

/** Parses at most `filesMax` files from `hg status`, which prints a letter, a space, the path and NUL for each file. */
async function takeFiles(output: AsyncIterable<Uint8Array>, filesMax: number): Promise<ChangedFile[]> {
  const files: ChangedFile[] = [];
  let rest = '';
  for await (const chunk of output) {
    const lines = (rest + Buffer.from(chunk).toString('latin1')).split('\0');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (files.length === filesMax) return files;
      const letter = line[0];
      if (letter === 'A' || letter === 'M' || letter === 'R')
        files.push({ bytes: line.slice(2), change: changes[letter] });
    }
  }
  return files;
}

/** Yields the output of a kept server or, when that exceeds its limit, the output of a separate process. */
async function* keptElseStreamed(short: () => Promise<Uint8Array>, long: () => AsyncIterable<Uint8Array>) {
  const answer = await short().catch((error: unknown) => {
    if (error instanceof VcsError && error.kind === 'too-large') return null;
    throw error;
  });
  if (answer) yield answer;
  else yield* long();
}

function inOrder(files: readonly ChangedFile[]): ChangedFile[] {
  return files.toSorted((one, other) => (one.bytes < other.bytes ? -1 : 1));
}

function toStat({ bytes, change }: ChangedFile, counts: LineCounts | null): FileStat {
  const count = counts === null ? uncounted : (counts.get(bytes) ?? unchanged);
  return { path: nameText(Buffer.from(bytes, 'latin1')), change, ...count };
}

/**
 * Returns the changed files of some changesets, against their first parents; a rename is a removal and an addition.
 * Lines are not counted for a changeset that is reached after `timeoutMs`.
 */
export async function readHgFileStats(
  { hg, stream, timeoutMs }: HgContentTools,
  path: string,
  rawIds: readonly string[],
  filesMax: number,
): Promise<ReadonlyMap<string, readonly FileStat[]>> {
  const deadline = performance.now() + timeoutMs;
  const stats = new Map<string, readonly FileStat[]>();
  for (const rawId of rawIds) {
    const args = ['status', `--change=${rawId}`, '--modified', '--added', '--removed', '--print0'];
    const short = () => hg.run(path, args, { stdoutBytesMax: namesBytesMax });
    const files = await takeFiles(
      keptElseStreamed(short, () => stream(path, args)),
      filesMax,
    );
    const counted = files.length > 0 && performance.now() < deadline;
    const counts = counted ? await readLineCounts(hg, path, rawId) : null;
    stats.set(
      rawId,
      inOrder(files).map((file) => toStat(file, counts)),
    );
  }
  return stats;
}
