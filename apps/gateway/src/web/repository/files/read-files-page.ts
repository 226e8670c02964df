import { NotFoundError, shownEntriesMax, type ResultOfMethod, type Served } from '@trunkline/contracts';
import type { Visit } from '../../visit.ts';
import { withoutKind } from '../full-name.ts';
import { choicesMax } from './revision-form.tsx';

/** What the page of a directory or file shows. */
export type FilesPage = ResultOfMethod<Served['view_files_page']>;

export interface AskedFiles {
  readonly repoid: number;
  readonly revision: string;
  readonly path: string;
}

/** Asks by three commands, as the workers of 0.1 know them; they do not know `view_files_page`. */
async function readInParts(worker: Visit['worker'], at: AskedFiles): Promise<FilesPage> {
  const { repoid } = at;
  const repository = await worker.call('view_repository', { repoid });
  const notFoundText = (error: unknown) => {
    if (error instanceof NotFoundError) return error.message;
    throw error;
  };
  const [found, refs] = await Promise.all([
    worker.call('view_path', { ...at, revision: withoutKind(repository.repo_type, at.revision) }).catch(notFoundText),
    worker.call('list_refs', { repoid, limit: choicesMax }),
  ]);
  const isMissing = typeof found === 'string';
  return { repository, shown: isMissing ? null : found, not_found: isMissing ? found : null, refs };
}

/** Returns the number of the page that an address asks for; any number that no directory can have means 1. */
export function askedPage({ query }: Pick<Visit, 'query'>): number {
  const page = Number(query.get('page'));
  return Number.isInteger(page) && page >= 1 && page <= 1_000 ? page : 1;
}

/** Reads a file or directory, the last changes of what a page of it shows, its repository, and revisions to choose from. */
export async function readFilesPage(visit: Visit, { repoid, revision, path }: AskedFiles): Promise<FilesPage> {
  const at = { repoid, revision, path };
  const wanted = { changes_from: (askedPage(visit) - 1) * shownEntriesMax, refs_limit: choicesMax };
  const found = await visit.worker.callNew('view_files_page', { ...at, ...wanted });
  return found ?? readInParts(visit.worker, at);
}
