import {
  NotFoundError,
  OperationFailedError,
  type ArgsOfMethod,
  type ResultOfMethod,
  type Served,
} from '@trunkline/contracts';
import { requireRepository } from '../../authz/require-repository.ts';
import { EncodedReply } from '../../cache/reply-cache.ts';
import { viewRepository } from '../browse/repository-views.ts';
import { readDefaultRef } from '../browse/view-repository-head.ts';
import { normalizeRoot } from '../../vcs/root-path.ts';
import type { MethodHandler } from '../context.ts';
import { listRefs } from '../repository/get-repo-refs.ts';
import { submoduleText } from './at-revision.ts';
import { viewChanges } from './last-changes.ts';
import { viewPath } from './view-path.ts';

/** Returns the text of a NotFoundError; throws any other error. */
function notFoundText(error: unknown): string {
  if (error instanceof NotFoundError) return error.message;
  throw error;
}

/** Returns what the directory in which a submodule stands, in the reply of `view_path`, knows of it. */
function submoduleIn(directory: Uint8Array, path: string) {
  const { entries } = JSON.parse(Buffer.from(directory).toString()) as ResultOfMethod<Served['view_path']>;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return entries?.find((entry) => entry.name === name)?.submodule;
}

/** Returns null for work that has failed; throws any other error. */
function unlessFailed(error: unknown): null {
  if (error instanceof OperationFailedError) return null;
  throw error;
}

/** Reads by one command, with the rights read once. What depends on the repository's bytes alone is a cached reply. */
export const viewFilesPage: MethodHandler<'view_files_page'> = async (args, context) => {
  const { repoid, revision, path, refs_limit: limit, changes_from: from } = args;
  const repository = requireRepository(context.access, repoid);
  const cached = (
    name: 'view_path' | 'list_refs' | 'last_changes',
    keyed: object,
    read: (shared: typeof context) => Promise<unknown>,
  ) => context.cachedReply(repository, { name, args: keyed }, (signal) => read({ ...context, signal }));
  const at = { repoid, revision, path };
  const page = { repoid, kind: null, filter: null, named: null, limit, cursor: null };
  const head = await viewRepository({ repoid }, context);
  // One after the other: a call has one slot.
  const defaultRef = await readDefaultRef(context, repository);
  const show = (asked: typeof at) => cached('view_path', asked, (shared) => viewPath(asked, shared));
  const shown = await show(at).catch(notFoundText);
  const list = async (keyed: ArgsOfMethod<Served['list_refs']>) => {
    const encoded = await cached('list_refs', keyed, (shared) => listRefs(keyed, shared));
    return JSON.parse(Buffer.from(encoded).toString()) as ResultOfMethod<Served['list_refs']>;
  };
  const { refs, next } = await list(page);
  // Apart, since the first references are the same whatever the revision is.
  const { meaning } = await list({ ...page, named: String(revision ?? ''), limit: 1 });
  const others = { repository: { ...head, default_ref: defaultRef }, refs: { refs, next }, meaning };
  if (shown === submoduleText) {
    const full = normalizeRoot(path);
    const above = await show({ ...at, path: full.slice(0, Math.max(full.lastIndexOf('/'), 0)) });
    return { ...others, shown: null, not_found: shown, submodule: submoduleIn(above, full) };
  }
  if (typeof shown === 'string') return { ...others, shown: null, not_found: shown };
  const members = { shown: new EncodedReply(shown) };
  const found = { ...others, not_found: null };
  if (from === null) return EncodedReply.with(members, found);
  const readChanges = (shared: typeof context) => viewChanges(args, repository, shown, shared);
  const changes = await cached('last_changes', { ...at, from }, readChanges).catch(unlessFailed);
  if (!changes) return EncodedReply.with(members, { ...found, changes });
  // A directory may have a hundred thousand entries, whose bytes take a call without a slot no time.
  return EncodedReply.with({ ...members, changes: new EncodedReply(changes) }, found);
};
