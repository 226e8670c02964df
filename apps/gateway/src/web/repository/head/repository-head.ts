import type { ResultOfMethod, Served } from '@trunkline/contracts';
import type { Visit } from '../../visit.ts';
import type { PageAddress } from '../repository-page.ts';

/** The facts at the head of every page of a repository. */
export type RepositoryHead = ResultOfMethod<Served['view_repository']>;

export function readHead({ worker }: Visit, { repoid }: PageAddress): Promise<RepositoryHead> {
  return worker.call('view_repository', { repoid });
}
