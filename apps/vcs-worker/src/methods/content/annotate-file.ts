import { OperationFailedError } from '@trunkline/contracts';
import { collectBytes } from '../../collect-bytes.ts';
import { toBriefChangeset } from '../../domain/repo/repository-list-record.ts';
import { toStoredChangeset } from '../../domain/repo/recorded-state.ts';
import type { AnnotatedBlock, Annotation, OpenFile } from '../../vcs/content.ts';
import { normalizeRoot } from '../../vcs/root-path.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import type { MethodHandler } from '../context.ts';
import { atRevision, looksBinary, peek } from './at-revision.ts';
import { shownBytesMax } from './view-path.ts';

/** Files of more lines are generated: what has written them takes much memory. */
const lineCountMax = 50_000;
const lineFeed = 10;

/** Throws the error of a file whose lines nobody wrote, or of which there are too many to find out who did. */
async function requireLines({ size, content }: OpenFile): Promise<void> {
  const { beginning, whole } = await peek(content);
  const isBinary = looksBinary(beginning);
  if (isBinary || size > shownBytesMax) {
    await whole[Symbol.asyncIterator]().return?.();
    throw new OperationFailedError(isBinary ? 'This file is binary, and has no lines' : 'This file is too large');
  }
  let lines = 0;
  for (const byte of await collectBytes(whole)) if (byte === lineFeed) lines += 1;
  if (lines > lineCountMax) throw new OperationFailedError('This file has too many lines');
}

async function inTime(found: Promise<Annotation>): Promise<Annotation> {
  return found.catch((cause: unknown) => {
    if (!(cause instanceof VcsError && cause.kind === 'timeout')) throw cause;
    throw new OperationFailedError('It takes too long to find out who wrote the lines of this file', { cause });
  });
}

interface Part {
  readonly blocks: readonly AnnotatedBlock[];
  readonly lineCount: number;
  /** The line behind the part; null at the end of the file. */
  readonly next: number | null;
}

/** Returns the blocks of some lines: the first and the last may be parts of larger ones. */
export function partOf({ blocks }: Pick<Annotation, 'blocks'>, start: number, limit: number): Part {
  const last = blocks.at(-1);
  const lineCount = last ? last.line + last.lines - 1 : 0;
  const end = Math.min(start + limit, lineCount + 1);
  const part = blocks.flatMap(({ line, lines, origin, originLine }) => {
    const from = Math.max(line, start);
    const count = Math.min(line + lines, end) - from;
    return count > 0 ? [{ line: from, lines: count, origin, originLine: originLine + from - line }] : [];
  });
  return { blocks: part, lineCount, next: end <= lineCount ? end : null };
}

export const annotateFile: MethodHandler<'annotate_file'> = (args, context) =>
  atRevision(args, context, async ({ repository, backend, path, rawId }) => {
    const name = normalizeRoot(args.file_path);
    await requireLines(await backend.openFile(path, rawId, name));
    const annotation = await inTime(
      context.contentCaches.annotations.get(
        repository,
        [rawId, name],
        (shared) => backend.forCall(shared).annotate(path, rawId, name),
        context.signal,
      ),
    );
    const { blocks, lineCount, next } = partOf(annotation, args.start_line, args.limit);
    const used = [...new Set(blocks.map(({ origin }) => origin))];
    const origins = used.flatMap((index) => annotation.origins[index] ?? []);
    const changesets = await backend.changesets(
      path,
      origins.map((origin) => origin.rawId),
    );
    const places = new Map(used.map((index, place) => [index, place]));
    return {
      raw_id: rawId,
      line_count: lineCount,
      origins: changesets.flatMap((changeset, index) => {
        const stored = toStoredChangeset(changeset);
        const { path: at = name, before = null } = origins[index] ?? {};
        const former = before && { raw_id: before.rawId, path: before.path };
        return stored ? [{ ...toBriefChangeset(stored), path: at, before: former }] : [];
      }),
      blocks: blocks.map(({ line, lines, origin, originLine }) => ({
        line,
        lines,
        origin: places.get(origin) ?? 0,
        origin_line: originLine,
      })),
      next_line: next,
    };
  });
