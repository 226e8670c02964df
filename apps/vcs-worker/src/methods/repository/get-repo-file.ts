import { createHash } from 'node:crypto';
import { InvalidArgsError, OperationFailedError, type ResultOfMethod, type Served } from '@trunkline/contracts';
import { isTextType, mediaTypeOf } from '@trunkline/runtime';
import { decodeText } from '@trunkline/runtime/text';
import { requireRepository } from '../../authz/require-repository.ts';
import { readRepository, resolveRevision } from '../../domain/repo/read-repository.ts';
import { normalizeRoot } from '../../vcs/root-path.ts';
import type { VcsError } from '../../vcs/vcs-error.ts';
import { looksBinary, peek } from '../content/at-revision.ts';
import type { MethodHandler } from '../context.ts';

type FileRecord = NonNullable<ResultOfMethod<Served['get_repo_file']>>;

/** Of a larger file only the beginning is read, and of no file more text is returned than pages show. */
const readBytesMax = 16 * 1024 * 1024;
const textBytesMax = 1024 * 1024;

interface ReadFile {
  readonly binary: boolean;
  readonly md5: string | null;
  readonly lines: number | null;
  /** The bytes of a text that is not too large. */
  readonly text: Buffer | null;
}

const lineFeed = 0x0a;

function countLineFeeds(piece: Uint8Array): number {
  let count = 0;
  for (let at = piece.indexOf(lineFeed); at >= 0; at = piece.indexOf(lineFeed, at + 1)) count += 1;
  return count;
}

/** Reads a file in one pass, of which no more is kept in memory than its text. */
async function readFile(content: AsyncIterable<Uint8Array>, size: number, keptBytesMax: number): Promise<ReadFile> {
  const { beginning, whole } = await peek(content);
  const binary = looksBinary(beginning);
  if (size > readBytesMax) {
    await whole[Symbol.asyncIterator]().return?.();
    return { binary, md5: null, lines: null, text: null };
  }
  const digest = createHash('md5');
  const isKept = !binary && size <= keptBytesMax;
  const kept: Uint8Array[] = [];
  let lines = 0;
  let last = lineFeed;
  for await (const piece of whole) {
    digest.update(piece);
    lines += countLineFeeds(piece);
    last = piece.at(-1) ?? last;
    if (isKept) kept.push(piece);
  }
  if (last !== lineFeed) lines += 1;
  const md5 = digest.digest('hex');
  return { binary, md5, lines: binary ? null : lines, text: isKept ? Buffer.concat(kept) : null };
}

function mimetypeOf(name: string, binary: boolean): string {
  const type = mediaTypeOf(name);
  if (type === undefined || (binary && isTextType(type))) return binary ? 'application/octet-stream' : 'text/plain';
  return type;
}

/** Returns the members of a full record about the content; a character of one byte may need three in the answer. */
function contentOf({ binary, text }: ReadFile): Pick<FileRecord, 'content' | 'content_missing'> {
  const content = text && decodeText(text);
  if (content !== null && Buffer.byteLength(content) <= textBytesMax) return { content };
  return { content: null, content_missing: binary ? 'binary' : 'too large' };
}

const isNoFile = ({ kind }: VcsError) => ['unknown-revision', 'unknown-path', 'is-submodule'].includes(kind);

export const getRepoFile: MethodHandler<'get_repo_file'> = async (args, context) => {
  const { file_path: asked, commit_id: revision, details, max_file_bytes: bytesMax } = args;
  if (!['minimal', 'basic', 'full'].includes(details))
    throw new InvalidArgsError('details must be one of minimal,basic,full');
  const repository = requireRepository(context.access, args.repoid);
  const toClientError = (cause: VcsError) => {
    const none = `There is no file in repo: \`${repository.name}\` at path \`${asked}\` for commit: \`${revision ?? 'None'}\``;
    const failed = `failed to get repo: \`${repository.name}\` file at path ${asked}`;
    return new OperationFailedError(isNoFile(cause) ? none : failed, { cause });
  };
  if (repository.tipId === null) return null;
  return readRepository(context, repository, toClientError, async (backend, path) => {
    const rawId = await resolveRevision(context, repository, { backend, path }, revision);
    const name = normalizeRoot(asked);
    const { size, content } = await backend.openFile(path, rawId, name);
    const minimal = { name, type: 'file' } as const;
    if (details === 'minimal') return minimal;
    const inTurns = context.streamSlices.of(content, { caller: context.callerKey, signal: context.signal });
    const keptBytesMax = details === 'full' ? Math.min(bytesMax || textBytesMax, textBytesMax) : 0;
    const read = await readFile(inTurns, size, keptBytesMax);
    const { binary, lines, md5 } = read;
    const extension = /[^/](\.[^./]+)$/.exec(name)?.[1] ?? '';
    const basic = { ...minimal, binary, extension, lines, md5, mimetype: mimetypeOf(name, binary), size };
    return details === 'full' ? { ...basic, ...contentOf(read) } : basic;
  });
};
