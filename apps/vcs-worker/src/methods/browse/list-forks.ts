import { requireRepository } from '../../authz/repository/require-repository.ts';
import { toListedPage } from '../../domain/repo/repository-list-record.ts';
import { listListed } from '../../domain/repo/repository-list-store.ts';
import type { MethodHandler } from '../context.ts';

export const listForks: MethodHandler<'list_forks'> = async ({ repoid, limit, cursor }, { db, access }) => {
  const { id: forkOfId } = requireRepository(access, repoid);
  const rows = await listListed(db, access.user.id, { forkOfId }, { limit: limit + 1, cursor });
  return toListedPage(rows, limit);
};
