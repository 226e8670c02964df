import type { ResultOfMethod, Served } from '@trunkline/contracts';
import type { Visit } from '../visit.ts';
import type { PageAddress } from './repository-page.ts';

/** The facts about a repository that the head of each of its pages shows. */
export type RepositoryHead = ResultOfMethod<Served['view_repository']>;

const errorsOfHead = new WeakSet<object>();

/** Reads the head. Throws the ForbiddenError of `throwNoRepository` for a repository that the visitor may not read. */
export async function readHead({ worker }: Visit, { repoid }: PageAddress): Promise<RepositoryHead> {
  try {
    return await worker.call('view_repository', { repoid });
  } catch (error) {
    if (error instanceof Error) errorsOfHead.add(error);
    throw error;
  }
}

/**
 * Reads the head with the branch that pages show first, for pages about content. Workers of the former release do not
 * tell it.
 */
export async function readContentHead(visit: Visit, address: PageAddress): Promise<RepositoryHead> {
  const head = await visit.worker.callNew('view_repository_head', { repoid: address.repoid });
  return head ?? readHead(visit, address);
}

/** Returns whether `readHead` has thrown this error, so that reading the head again would only take longer. */
export function isErrorOfHead(error: object): boolean {
  return errorsOfHead.has(error);
}

/** Returns whether a repository has branches of git, of which one is the default branch. */
export function hasBranches({ repo_type: type, last_changeset: last }: RepositoryHead): boolean {
  return type === 'git' && last !== null;
}
