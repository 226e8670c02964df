import type { ResultOfMethod, Served } from '@trunkline/contracts';
import type { Visit } from '../../visit.ts';
import type { PageAddress } from '../repository-page.ts';

/** The facts about a repository that the head of each of its pages shows. */
export type RepositoryHead = ResultOfMethod<Served['view_repository']>;

/** Reads the head. Throws the ForbiddenError of `showNothing` for a repository that the visitor may not read. */
export function readHead({ worker }: Visit, { repoid }: PageAddress): Promise<RepositoryHead> {
  return worker.call('view_repository', { repoid });
}
