import { type EntityRef, NotFoundError, OperationFailedError, type RpcError } from '@trunkline/contracts';
import { markedEncoding } from '@trunkline/runtime/text';
import type { RepositoryAccess } from '../../authz/authorize.ts';
import { requireRepository } from '../../authz/require-repository.ts';
import { readRepository, resolveRevision } from '../../domain/repo/read-repository.ts';
import type { VcsReads } from '../../vcs/backend.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import type { ReadContext } from '../context.ts';
import { readBeginning } from '../../vcs-http/methods/read-beginning.ts';
import type { RepositoryTools } from '../../worker-tools.ts';

const probeBytes = 8_000;

/** Returns whether git would call a file binary, since there is a NUL near the beginning; text of UTF-16 with its mark is none. */
export function looksBinary(beginning: Uint8Array): boolean {
  const mark = markedEncoding(beginning);
  return (mark === null || mark === 'UTF-8') && beginning.subarray(0, probeBytes).includes(0);
}

/**
 * Reads the first piece of a stream; returns it and the whole stream, this piece included. Short content comes in one
 * piece. A caller that does not read `whole` to its end must call its iterator's `return`.
 */
export async function peek(
  source: AsyncIterable<Uint8Array>,
): Promise<{ readonly beginning: Uint8Array; readonly whole: AsyncIterable<Uint8Array> }> {
  const pieces = source[Symbol.asyncIterator]();
  const first = await pieces.next();
  const beginning = first.done === true ? new Uint8Array() : first.value;
  let begun = false;
  const whole: AsyncIterableIterator<Uint8Array> = {
    async next() {
      if (begun) return pieces.next();
      begun = true;
      return first.done === true ? first : { done: false, value: beginning };
    },
    async return() {
      await pieces.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => whole,
  };
  return { beginning, whole };
}

type Revision = string | number | null;

/** The changeset that a view shows, and its repository. */
export interface AtRevision {
  readonly repository: RepositoryAccess;
  readonly backend: VcsReads;
  /** Path of the repository in the file system. */
  readonly path: string;
  readonly rawId: string;
}

export const submoduleText = 'There is a submodule here, whose files are in another repository';
const notArchivable =
  'This changeset cannot be downloaded as an archive: names in it clash, or lead out of the directory it is unpacked into';
const notZippable = 'This changeset cannot be downloaded as zip: names in it do not fit there. Take tar.gz instead';

/** Returns the client's error of a read at a revision. */
export function shownError(error: VcsError, revision: Revision): RpcError {
  if (error.kind === 'unknown-revision') return new NotFoundError(`Unknown revision ${revision}`, { cause: error });
  if (error.kind === 'empty-repository') return new NotFoundError('Empty repository', { cause: error });
  if (error.kind === 'unknown-path') return new NotFoundError('There is no such file or directory', { cause: error });
  if (error.kind === 'is-submodule') return new NotFoundError(submoduleText, { cause: error });
  if (error.kind === 'too-large') return new OperationFailedError('This is too large to be shown', { cause: error });
  if (error.kind === 'not-archivable') return new OperationFailedError(notArchivable, { cause: error });
  if (error.kind === 'not-zippable') return new OperationFailedError(notZippable, { cause: error });
  return new OperationFailedError('This repository cannot be read now', { cause: error });
}

/** Acts on the changeset that the caller names. Throws NotFoundError for a revision or a path that does not exist. */
export async function atRevision<T>(
  { repoid, revision }: { readonly repoid: EntityRef; readonly revision: Revision },
  context: ReadContext & RepositoryTools,
  act: (at: AtRevision) => Promise<T>,
): Promise<T> {
  const repository = requireRepository(context.access, repoid);
  const toClientError = (error: VcsError) => shownError(error, revision);
  return readRepository(context, repository, toClientError, async (backend, path) => {
    const rawId = await resolveRevision(context, repository, { backend, path }, revision);
    return act({ repository, backend, path, rawId });
  });
}

/** Content up to this size, of which the rest comes within this time after the beginning, is part of the reply. */
const short = { bytesMax: 256 * 1024, msMax: 100 };

/**
 * Returns content that is read in turns of the caller: whole when it is short, else as a stream of which the first piece is
 * read. So unreadable content throws here; later failures are recorded.
 */
export async function begun(
  source: AsyncIterable<Uint8Array>,
  {
    recordUnreadable,
    streamSlices,
    callerKey,
    signal,
  }: ReadContext & Pick<RepositoryTools, 'recordUnreadable' | 'streamSlices'>,
  repository: RepositoryAccess,
): Promise<Uint8Array | AsyncIterable<Uint8Array>> {
  const { whole } = await peek(streamSlices.of(source, { caller: callerKey, signal }));
  const read = await readBeginning(whole, short);
  if (read instanceof Uint8Array) return read;
  const pieces = read[Symbol.asyncIterator]();
  const next = async () => {
    try {
      return await pieces.next();
    } catch (error) {
      if (error instanceof VcsError && error.kind === 'failed') recordUnreadable(repository);
      throw error;
    }
  };
  const end = async (): Promise<IteratorResult<Uint8Array>> =>
    (await pieces.return?.()) ?? { done: true, value: undefined };
  return { [Symbol.asyncIterator]: () => ({ next, return: end }) };
}
