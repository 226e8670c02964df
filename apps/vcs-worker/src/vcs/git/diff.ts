import type { DiffOptions, PatchOptions } from '../content.ts';
import { endableStream } from '../process/endable-stream.ts';
import { VcsError } from '../vcs-error.ts';
import type { GitContentTools } from './git-content-tools.ts';
import type { ObjectReader } from './object-reader.ts';
import { parseParents } from './parse-commit.ts';
import { requireComparableTrees } from './comparable-trees.ts';

/**
 * Returns the line of stdin with which `diff-tree --stdin --root` compares a commit with its first parent, or a root
 * commit with the empty tree. Throws VcsError `unknown-revision` when there is no such commit, and `too-large` when they
 * differ in too many paths or, for a difference with the content of binary files, in a file that is too large.
 */
export async function againstFirstParent(
  reader: ObjectReader,
  path: string,
  rawId: string,
  { binary }: Pick<DiffOptions, 'binary'> = { binary: false },
): Promise<string> {
  const commit = await reader.read(path, rawId);
  if (commit?.type !== 'commit') throw new VcsError('unknown-revision', 'no such commit');
  const [before] = parseParents(commit);
  await requireComparableTrees({ reader, path, binary }, before, rawId);
  return `${[rawId, before].join(' ').trimEnd()}\n`;
}

/** Returns the options of a diff: rename detection among at most 400 files, no external diff or textconv program. */
function diffArgs({ context, ignoreWhitespace, binary }: DiffOptions): string[] {
  return [
    '--find-renames',
    '-l400',
    `--unified=${context}`,
    ...(ignoreWhitespace ? ['--ignore-all-space'] : []),
    ...(binary ? ['--binary', '--full-index'] : []),
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
  ];
}

/** Streams a commit's diff against its first parent, in the format that `git show` prints below the message. */
export function streamDiff(
  { reader, stream }: GitContentTools,
  path: string,
  rawId: string,
  options: DiffOptions,
): AsyncIterable<Uint8Array> {
  const args = ['diff-tree', '--stdin', '--root', '--no-commit-id', '-p', ...diffArgs(options)];
  return endableStream(async function* (signal) {
    yield* stream(path, args, { input: await againstFirstParent(reader, path, rawId, options), signal });
  });
}

/** Options for any commit: by default git skips merges and empty commits, and compares with every parent. */
const anyCommit = ['--always', '--no-max-parents', '--first-parent', '--diff-merges=first-parent'];

/** Streams a commit as a mail. Git encodes author and subject, so that neither can add a header. */
export function streamPatch(
  { reader, stream }: GitContentTools,
  path: string,
  rawId: string,
  options: PatchOptions,
): AsyncIterable<Uint8Array> {
  const whole = { ...options, binary: true };
  const form = ['--stdout', '--no-signature', ...diffArgs(whole)];
  return endableStream(async function* (signal) {
    await againstFirstParent(reader, path, rawId, whole);
    yield* stream(path, ['format-patch', '-1', ...anyCommit, ...form, '--end-of-options', rawId], { signal });
  });
}
