import type { RepositoryService } from '../../repository-service.ts';
import type { Call } from './call.ts';

/** Returns the part of the worker that has repository tools. Lanes whose methods need it are served by workers that have it. */
export function requireRepositoryService({
  environment: { repositoryService },
}: Pick<Call, 'environment'>): Pick<RepositoryService, 'tools' | 'engine'> {
  if (!repositoryService) throw new Error('this worker serves the lane metadata alone');
  return repositoryService;
}
