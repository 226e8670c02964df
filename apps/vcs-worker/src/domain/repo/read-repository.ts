import {
  BusyError,
  type EntityRef,
  OperationFailedError,
  type RefRecord,
  type RpcError,
  UnavailableError,
} from '@trunkline/contracts';
import type { RepositoryAccess } from '../../authz/authorize.ts';
import type { RepositoryState, VcsReads } from '../../vcs/backend.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import type { Storage } from '../../storage/storage.ts';
import { requireRecordedTip } from './recorded-state.ts';
import type { RepositoryTools } from '../../worker-tools.ts';
import { cachedRefs } from '../../cache/content-caches.ts';
import { replyKey } from '../../cache/reply-cache.ts';
import { isUnchanged } from '../../cache/unchanged-store.ts';
import type { ReadContext } from '../../methods/context.ts';
import { meansTip } from '../../vcs/revision.ts';
import { requireRepository } from '../../authz/require-repository.ts';
import type { Ref, SortedRefs } from '../../vcs/sorted-refs.ts';

type Repository = Omit<RepositoryAccess, 'name' | 'level' | 'isFork'>;
type ReadTools = Pick<RepositoryTools, 'backends' | 'recordUnreadable'> & {
  readonly storages: { readonly of: (repository: Repository) => Pick<Storage, 'absolute' | 'isOurs'> };
  readonly signal?: AbortSignal;
};

function stateOf({ uuid, generation, tipId, tipRevision }: Repository): RepositoryState {
  const tip = tipId === null || tipRevision === null ? null : { rawId: tipId, revision: tipRevision };
  return { uuid, generation, tip };
}

const absences = ['unknown-revision', 'unknown-path', 'empty-repository'];

/** Returns a "not found" error as it is only if the recorded tip still exists; otherwise the repository is damaged. */
async function confirmedError(error: VcsError, { tipId }: Repository, backend: VcsReads, path: string) {
  if (tipId === null || !absences.includes(error.kind)) return error;
  try {
    await requireRecordedTip(backend, path, tipId);
    // Reads every changeset, at most once a minute, and so detects a damaged history.
    if (error.kind !== 'unknown-path') await backend.tip(path);
    return error;
  } catch (cause) {
    return cause instanceof VcsError ? cause : error;
  }
}

/**
 * Runs a read of a repository, whose processes end when the signal aborts. When it fails, throws the client's error,
 * and notes a damaged repository.
 */
export async function readRepository<T>(
  { storages, backends, recordUnreadable, signal }: ReadTools,
  repository: Repository,
  toClientError: (error: VcsError) => RpcError,
  read: (backend: VcsReads, path: string) => Promise<T>,
): Promise<T> {
  const backend = signal ? backends[repository.type].forCall(signal, stateOf(repository)) : backends[repository.type];
  const storage = storages.of(repository);
  const path = storage.absolute(repository.storagePath);
  try {
    return await read(backend, path);
  } catch (thrown) {
    if (!(thrown instanceof VcsError)) throw thrown;
    const error = await confirmedError(thrown, repository, backend, path);
    if (error.kind === 'busy') throw new BusyError({ quota: 'memory', cause: error });
    if (error.kind !== 'failed') throw toClientError(error);
    // The repositories of an unmounted storage are not damaged.
    if (!(await storage.isOurs())) throw new UnavailableError({ cause: error });
    recordUnreadable(repository);
    throw toClientError(error);
  }
}

type Tools = Pick<ReadContext & RepositoryTools, 'db' | 'replyCache' | 'signal'>;

/**
 * Returns the raw id of a revision that a client sent. The tip is the recorded one; without one, reads the bytes. Ids are
 * cached like replies.
 */
export async function resolveRevision(
  { db, replyCache, signal }: Tools,
  repository: RepositoryAccess,
  { backend, path }: { readonly backend: Pick<VcsReads, 'forCall'>; readonly path: string },
  revision: string | number | null,
): Promise<string> {
  if (meansTip(revision) && repository.tipId !== null) return repository.tipId;
  const wanted = {
    make: async (shared: AbortSignal) => Buffer.from(await backend.forCall(shared).resolveRevision(path, revision)),
    isUnchanged: () => isUnchanged(db, repository),
  };
  const rawId = await replyCache.get(replyKey('revision', { revision }, repository), wanted, signal);
  return Buffer.from(rawId).toString('latin1');
}

/** The reads of one repository. */
export interface RepositoryReads {
  readonly type: RepositoryAccess['type'];
  readonly backend: VcsReads;
  readonly path: string;
}

/** Acts on the references of a repository, which are read once for each of its generations. */
export async function withRefs<T>(
  repoid: EntityRef,
  context: ReadContext & RepositoryTools,
  act: (refs: SortedRefs, at: RepositoryReads) => T | Promise<T>,
): Promise<T> {
  const repository = requireRepository(context.access, repoid);
  const toClientError = (cause: Error) =>
    new OperationFailedError(`failed to get repo: \`${repository.name}\` refs`, { cause });
  return readRepository(context, repository, toClientError, async (backend, path) => {
    const [refs] = await Promise.all([
      cachedRefs(context.contentCaches, repository, { backend, path }, context.signal),
      requireRecordedTip(backend, path, repository.tipId),
    ]);
    return act(refs, { type: repository.type, backend, path });
  });
}

export function toRefRecord({ kind, name, rawId, isClosed }: Ref): RefRecord {
  return { kind, name, raw_id: rawId, closed: isClosed };
}
