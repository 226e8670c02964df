import { isUtf8 } from 'node:buffer';
import { nameBytes } from '@trunkline/runtime/text';
import type { DiffOptions, PatchOptions } from '../content.ts';
import { emptyTree } from '../process/child-environment.ts';
import { endableStream } from '../process/endable-stream.ts';
import { VcsError } from '../vcs-error.ts';
import type { GitContentTools } from './git-content-tools.ts';
import type { ObjectReader } from './object-reader.ts';
import { parseParents } from './parse-commit.ts';
import { requireComparableTrees } from './comparable-trees.ts';

interface AgainstParent {
  /** The line of stdin with which `diff-tree --stdin --root` compares a commit with a parent, or with the empty tree. */
  readonly input: string;
  readonly fileIds: readonly string[];
}

/**
 * Prepares the comparison of a commit with a parent. Throws VcsError `unknown-revision` when there is no such commit or
 * parent, and `too-large` when they differ in too many paths.
 */
export async function againstParent(
  reader: ObjectReader,
  path: string,
  rawId: string,
  parent = 1,
): Promise<AgainstParent> {
  const commit = await reader.read(path, rawId);
  if (commit?.type !== 'commit') throw new VcsError('unknown-revision', 'no such commit');
  const before = parseParents(commit)[parent - 1];
  if (before === undefined && parent > 1) throw new VcsError('unknown-revision', 'no such parent');
  const fileIds = await requireComparableTrees(reader, path, before, rawId);
  return { input: `${[rawId, before].join(' ').trimEnd()}\n`, fileIds };
}

/** As large as Mercurial compares. Of a binary file git holds both contents, packed and unpacked, and an index of one. */
const fileBytesMax = 64 * 1024 * 1024;

/** Throws VcsError `too-large` when one of the files is too large for a diff with its content. */
async function requireComparableSizes(
  { stream }: GitContentTools,
  path: string,
  fileIds: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  if (fileIds.length === 0) return;
  const sizes = stream(path, ['cat-file', '--batch-check=%(objectsize)', '--buffer'], {
    input: `${fileIds.join('\n')}\n`,
    signal,
  });
  let rest = '';
  for await (const chunk of sizes) {
    const lines = (rest + Buffer.from(chunk).toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    // Of an object that is missing, there is another line: git itself will report it.
    if (lines.some((line) => Number(line) > fileBytesMax)) {
      throw new VcsError('too-large', `a changed file of more than ${fileBytesMax} bytes`);
    }
  }
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

/** Prepares a comparison, also with another commit or, for null, with no files; returns the arguments that name its sides, too. */
async function comparedSides(reader: ObjectReader, path: string, rawId: string, { base, parent }: DiffOptions) {
  if (base === undefined) {
    return { sides: ['--stdin', '--root', '--no-commit-id'], ...(await againstParent(reader, path, rawId, parent)) };
  }
  const fileIds = await requireComparableTrees(reader, path, base ?? undefined, rawId);
  return { sides: [base ?? emptyTree, rawId], input: '', fileIds };
}

/**
 * Returns paths as arguments of a command. Those of a process are UTF-8: where a name is not, they are left out, and the
 * command answers for all paths.
 */
function pathArgs(paths: readonly string[] = []): string[] {
  if (!paths.every((path) => isUtf8(nameBytes(path)))) return [];
  return paths.map((path) => `:(top,literal)${nameBytes(path).toString()}`);
}

/** Streams a commit's diff against a parent or `base`, in the format that `git show` prints below the message. */
export function streamDiff(
  tools: GitContentTools,
  path: string,
  rawId: string,
  options: DiffOptions,
): AsyncIterable<Uint8Array> {
  const only = ['--', ...pathArgs(options.paths)];
  return endableStream(async function* (signal) {
    const { sides, input, fileIds } = await comparedSides(tools.reader, path, rawId, options);
    if (options.binary) await requireComparableSizes(tools, path, fileIds, signal);
    yield* tools.stream(path, ['diff-tree', '-p', ...diffArgs(options), ...sides, ...only], { input, signal });
  });
}

/** Options for any commit: by default git skips merges and empty commits, and compares with every parent. */
const anyCommit = ['--always', '--no-max-parents', '--first-parent', '--diff-merges=first-parent'];

/** Streams a commit as a mail. Git encodes author and subject, so that neither can add a header. */
export function streamPatch(
  tools: GitContentTools,
  path: string,
  rawId: string,
  options: PatchOptions,
): AsyncIterable<Uint8Array> {
  const form = ['--stdout', '--no-signature', ...diffArgs({ ...options, binary: true })];
  return endableStream(async function* (signal) {
    const { fileIds } = await againstParent(tools.reader, path, rawId);
    await requireComparableSizes(tools, path, fileIds, signal);
    yield* tools.stream(path, ['format-patch', '-1', ...anyCommit, ...form, '--end-of-options', rawId], { signal });
  });
}
