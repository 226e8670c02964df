import type { ResultOfMethod, Served } from '@trunkline/contracts';
import type { Visit } from '../../visit.ts';
import type { Place } from '../repository-page.ts';

/** What stands at the head of every page of a repository. */
export type RepositoryHead = ResultOfMethod<Served['view_repository']>;

export function readHead({ worker }: Visit, { repoid }: Place): Promise<RepositoryHead> {
  return worker.call('view_repository', { repoid });
}
