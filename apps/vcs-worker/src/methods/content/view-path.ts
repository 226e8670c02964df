import { decodeAs, encodingOf } from '@trunkline/runtime/text';
import { VcsError } from '../../vcs/vcs-error.ts';
import { normalizeRoot } from '../../vcs/root-path.ts';
import { toHistoryRecord } from '../../domain/repo/repository-record.ts';
import { collectBytes } from '../../collect-bytes.ts';
import type { OpenFile } from '../../vcs/content.ts';
import type { MethodHandler } from '../context.ts';
import { imageSizeOf } from './image-size.ts';
import { atRevision, type AtRevision, looksBinary, peek } from './at-revision.ts';

/** Files up to this size are shown as text. */
export const shownBytesMax = 1024 * 1024;

/** Returns the file as pages show it. Of a binary or large file only the first piece is read. */
export async function shownFile({ size, executable, symlink, content }: OpenFile) {
  const { beginning, whole } = await peek(content);
  const binary = looksBinary(beginning);
  const image = symlink ? null : imageSizeOf(beginning);
  const file = { size, executable, symlink, binary, ...(image && { image }) };
  if (binary || size > shownBytesMax) {
    await whole[Symbol.asyncIterator]().return?.();
    return { ...file, text: null };
  }
  const bytes = await collectBytes(whole);
  const encoding = encodingOf(bytes);
  const text = decodeAs(bytes, encoding);
  // A character of one byte may need three in the answer.
  if (Buffer.byteLength(text) > shownBytesMax) return { ...file, text: null };
  return { ...file, text, ...(encoding !== 'UTF-8' && { encoding }) };
}

async function openFileAt({ backend, path, rawId }: AtRevision, name: string): Promise<OpenFile | null> {
  if (name === '') return null;
  try {
    return await backend.openFile(path, rawId, name);
  } catch (error) {
    if (error instanceof VcsError && error.kind === 'unknown-path') return null;
    throw error;
  }
}

export const viewPath: MethodHandler<'view_path'> = (args, context) =>
  atRevision(args, context, async (at) => {
    const { backend, path, rawId } = at;
    const name = normalizeRoot(args.path);
    const file = await openFileAt(at, name);
    return {
      changeset: toHistoryRecord(await backend.changeset(path, rawId, { withFiles: false })),
      entries: file ? null : await backend.directory(path, rawId, name),
      file: file && (await shownFile(file)),
    };
  });
