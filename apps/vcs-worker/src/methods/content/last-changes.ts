import {
  OperationFailedError,
  shownEntriesMax,
  type ArgsOfMethod,
  type ResultOfMethod,
  type Served,
} from '@trunkline/contracts';
import type { RepositoryAccess } from '../../authz/authorize.ts';
import { toBriefChangeset } from '../../domain/repo/repository-list-record.ts';
import { readRepository } from '../../domain/repo/read-repository.ts';
import { normalizeRoot } from '../../vcs/root-path.ts';
import type { LastChanges, ListedChangeset } from '../../vcs/last-changes.ts';
import type { ReadContext } from '../context.ts';
import type { RepositoryTools } from '../../worker-tools.ts';

type Changes = NonNullable<ResultOfMethod<Served['view_files_page']>['changes']>;

const toRecord = (changeset: ListedChangeset) => toBriefChangeset({ ...changeset, date: changeset.date.getTime() });

/** Returns the changes of these entries, each changeset once. */
function toChanges({ newest, entries }: LastChanges, names: readonly string[]): Changes {
  const numbers = new Map<ListedChangeset, number>();
  const numberOf = (name: string) => {
    const changeset = entries.get(name);
    if (!changeset) return null;
    const number = numbers.get(changeset) ?? numbers.size;
    numbers.set(changeset, number);
    return number;
  };
  const numbered = names.map(numberOf);
  return {
    newest: newest && toRecord(newest),
    changesets: [...numbers.keys()].map(toRecord),
    entries: numbered,
  };
}

/**
 * Returns the last changes of the entries of a directory, which `view_path` has answered, from a number on; null for a
 * file. Throws OperationFailedError when they cannot be read, or take longer than a page waits: an error is not cached.
 */
export async function viewChanges(
  { path: asked, changes_from: from }: Pick<ArgsOfMethod<Served['view_files_page']>, 'path' | 'changes_from'>,
  repository: RepositoryAccess,
  shown: Uint8Array,
  context: ReadContext & RepositoryTools,
): Promise<Changes | null> {
  const { changeset, entries } = JSON.parse(Buffer.from(shown).toString()) as ResultOfMethod<Served['view_path']>;
  if (!entries) return null;
  const { raw_id: rawId } = changeset;
  const first = from !== null && from < entries.length ? from : 0;
  const names = entries.slice(first, first + shownEntriesMax).map(({ name }) => name);
  const directory = normalizeRoot(asked);
  const unknown = (cause?: Error) => new OperationFailedError('The last changes are not known', { cause });
  const found = await readRepository(context, repository, unknown, (backend, path) => {
    const read = (signal: AbortSignal) => backend.forCall(signal).lastChanges(path, rawId, directory);
    return context.lastChanges.get(repository, [rawId, directory], read, context.signal);
  });
  if (!found) throw unknown();
  return toChanges(found, names);
}
