import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { checkArchiveNames } from '../archive-names.ts';
import type { ArchiveFormat, ArchiveOptions } from '../content.ts';
import { endableStream } from '../process/endable-stream.ts';
import { streamCommand } from '../process/stream-command.ts';
import { nulTokens } from '../split-at-nul.ts';
import { attributeFileCollector, requireBoundedExpansion } from './export-subst.ts';
import type { GitContentTools } from './git-content-tools.ts';
import { parseCommit } from './parse-commit.ts';

interface Archiving {
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly memoryWaitMs: number | null;
  readonly bzip2Command: readonly string[];
}

const listing = ['ls-tree', '-r', '-t', '-z', '--full-tree', '--end-of-options'];

/**
 * Checks every name of the commit, and what git would put into its files, before the first byte of the archive, so that a
 * refusal truncates no archive.
 */
async function requireArchivable(
  tools: GitContentTools,
  path: string,
  rawId: string,
  format: ArchiveFormat,
  signal: AbortSignal,
): Promise<void> {
  const check = checkArchiveNames('git', format);
  const attributes = attributeFileCollector();
  for await (const entries of nulTokens(tools.stream(path, [...listing, rawId], { signal }), 'latin1')) {
    for (const entry of entries) {
      const name = entry.slice(entry.indexOf('\t') + 1);
      check(entry.slice(7, 11) === 'tree' ? `${name}/` : name);
      attributes.take(entry, name);
    }
  }
  await requireBoundedExpansion(tools, path, rawId, attributes.ids);
}

/**
 * Returns what is archived: the commit, whose date the files get, or its tree where git refuses the date: one before 1970,
 * or one that no clock shows.
 */
async function archived({ reader }: GitContentTools, path: string, rawId: string): Promise<string> {
  // One that is too large to be read has a date like any other.
  const commit = await reader.read(path, rawId).catch(() => null);
  const date = commit && parseCommit(commit, 0).date;
  return date && (date.getTime() < 0 || date.getUTCFullYear() === 9_999) ? `${rawId}^{tree}` : rawId;
}

/** Streams an archive of a commit's files, without those of submodules, which are in other repositories. */
export function streamArchive(
  tools: GitContentTools,
  { env, timeoutMs, memoryWaitMs, bzip2Command }: Archiving,
  path: string,
  rawId: string,
  { format, prefix }: ArchiveOptions,
): AsyncIterable<Uint8Array> {
  return endableStream(async function* (signal) {
    await requireArchivable(tools, path, rawId, format, signal);
    const what = await archived(tools, path, rawId);
    const plain = (kind: 'zip' | 'tar') =>
      tools.stream(path, ['archive', `--format=${kind}`, `--prefix=${prefix}/`, '--end-of-options', what], {
        env,
        signal,
      });
    if (format === 'zip' || format === 'tar') yield* plain(format);
    // An error of either stream reaches the reader through the gzip stream, so the callback has nothing to do.
    else if (format === 'tar.gz') yield* pipeline(Readable.from(plain('tar')), createGzip({ level: 6 }), () => {});
    else yield* streamCommand([...bzip2Command, '-c'], { env, timeoutMs, memoryWaitMs, input: plain('tar'), signal });
  });
}
