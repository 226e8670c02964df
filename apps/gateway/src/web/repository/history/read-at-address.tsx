import { NotFoundError, UnavailableError } from '@trunkline/contracts';
import type { Child } from 'hono/jsx';
import type { Visit } from '../../visit.ts';
import { fileAddress, type FileLocation } from '../files/file-address.ts';
import type { RepositoryHead } from '../repository-head.ts';
import { RepositoryPageError } from '../repository-page-error.ts';
import type { PageAddress } from '../repository-page.ts';
import { NameNote, readMeaning, splitAtName } from '../typed-revision.tsx';

interface ReadAddress<T> {
  readonly location: FileLocation;
  readonly found: T;
  /** What else the revision could mean. */
  readonly note: Child;
}

interface Page<T> {
  readonly name: 'annotate' | 'changelog';
  readonly read: (at: { readonly revision: string; readonly path: string }) => Promise<T>;
}

/** Reads what the address of a page names; the name of its revision may have slashes that are not escaped. */
export async function readAtAddress<T>(
  visit: Visit,
  { repoid, rest }: PageAddress,
  repository: RepositoryHead,
  { name, read }: Page<T>,
): Promise<ReadAddress<T>> {
  const [revision = 'tip', ...segments] = rest;
  const at = { revision, path: segments.join('/') };
  const readElse = async () => {
    try {
      return { at, found: await read(at) };
    } catch (error) {
      const split = error instanceof NotFoundError ? await splitAtName(visit, repoid, rest) : null;
      if (!split) throw error;
      return { at: split, found: await read(split) };
    }
  };
  const notFound = (error: unknown) => {
    if (error instanceof NotFoundError) return error;
    throw error;
  };
  const [answer, meaning] = await Promise.all([readElse().catch(notFound), readMeaning(visit, repoid, revision)]);
  const locationOf = (other: string, path = at.path) => ({ repository: repository.repo_name, revision: other, path });
  const hrefOf = (other: string) => fileAddress(name, locationOf(other));
  const note = <NameNote repository={repository} revision={revision} meaning={meaning} hrefOf={hrefOf} />;
  if (answer instanceof NotFoundError) throw new RepositoryPageError(visit, repository, answer, note);
  return { location: locationOf(answer.at.revision, answer.at.path), found: answer.found, note };
}

type NewMethod = 'annotate_file' | 'get_file_history';

/** Calls a method that is new in this release; where a worker of the former one has got the call, the page says so. */
export async function callOfThisRelease<N extends NewMethod>(
  visit: Visit,
  repository: RepositoryHead,
  name: N,
  args: Parameters<Visit['worker']['callNew']>[1],
) {
  const found = await visit.worker.callNew(name, args);
  if (found !== null) return found;
  const cause = new UnavailableError({ cause: new Error(`a worker does not know ${name} yet`) });
  const note = <p>The service is being upgraded, and cannot show this yet.</p>;
  throw new RepositoryPageError(visit, repository, cause, note);
}
