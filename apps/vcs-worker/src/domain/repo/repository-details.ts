import { levels } from '@trunkline/contracts';
import { repositories, storages, users, type Db } from '@trunkline/db';
import { and, eq, sql, type SQL } from 'drizzle-orm';
import { accessColumns, shownOfRepository } from '../../authz/access-query.ts';
import type { RepositoryAccess, Rights } from '../../authz/authorize.ts';
import { relatedRows, type RelatedRow } from './member-store.ts';
import { forkSource, repositoryColumns, sourceAccess, type RepositoryDetailsRow } from './repository-store.ts';

/** What `get_repo` shows of a repository. */
export type RepositoryDetails = RepositoryDetailsRow & { readonly related: readonly RelatedRow[] };

/** Returns the name of a fork's source if the user may read it; nothing is looked up for a repository that is no fork. */
function sourceName(db: Db): SQL<string | null> {
  const source = sourceAccess(db);
  const named = db
    .select({ name: source.name })
    .from(forkSource)
    .leftJoin(source.own.table, source.own.on)
    .leftJoin(source.defaultUser.table, source.defaultUser.on)
    .leftJoinLateral(source.byUserGroupOfRow.table, source.byUserGroupOfRow.on)
    .where(and(eq(forkSource.id, repositories.forkOfId), eq(forkSource.state, 'ready')));
  return sql`case when ${repositories.forkOfId} is not null then ${named} end`;
}

interface DetailsWithAccess extends Rights<RepositoryAccess> {
  readonly details: RepositoryDetails | null;
}

/** Query for a repository with its members and followers, and for what decides on the call, in one snapshot. */
export const detailsWithAccess = shownOfRepository<DetailsWithAccess>('details_with_access', (level, db) => ({
  ...accessColumns(level),
  details: {
    // The joins of the rights have no owners and storages, which would leave out a caller without a repository.
    ...repositoryColumns,
    owner: sql<string>`(select o.username from ${users} o where o.id = ${repositories.ownerId})`.as('owner'),
    sizeBytes: repositories.sizeBytes,
    defaultBranch: repositories.defaultBranch,
    storage: sql<string>`(select s.name from ${storages} s where s.id = ${repositories.storageId})`.as('storage'),
    forkOf: sourceName(db).as('fork_of'),
    // Other callers are not told of them, so that nothing is read for these.
    related: sql<readonly RelatedRow[]>`case when ${level} >= ${levels.read} then ${relatedRows} end`.as('related'),
  },
}));
