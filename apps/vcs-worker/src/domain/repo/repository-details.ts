import { levels } from '@trunkline/contracts';
import { repositories, storages, users } from '@trunkline/db';
import { sql } from 'drizzle-orm';
import { accessColumns, shownOfRepository } from '../../authz/access-query.ts';
import type { RepositoryAccess, Rights } from '../../authz/authorize.ts';
import { relatedRows, type RelatedRow } from './member-store.ts';
import { repositoryColumns, sourceName, type RepositoryDetailsRow } from './repository-store.ts';

/** What `get_repo` shows of a repository. */
export type RepositoryDetails = RepositoryDetailsRow & { readonly related: readonly RelatedRow[] };

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
