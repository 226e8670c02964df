import { sql } from 'drizzle-orm';
import { index, integer, pgTable, primaryKey, smallint, text } from 'drizzle-orm/pg-core';
import { insertedAt } from './columns.ts';
import { repoGroups, repositories } from './repositories.ts';
import { userGroups, users } from './users.ts';

const userId = () =>
  integer()
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' });
const userGroupId = () =>
  integer()
    .notNull()
    .references(() => userGroups.id, { onDelete: 'cascade' });
const repositoryId = () =>
  integer()
    .notNull()
    .references(() => repositories.id, { onDelete: 'cascade' });
const repoGroupId = () =>
  integer()
    .notNull()
    .references(() => repoGroups.id, { onDelete: 'cascade' });

/** Levels are 0 none, 1 read, 3 write, 4 admin. The indexes `…_by_…` serve pages of those with a level on one object. */
export const userRepositoryPermissions = pgTable(
  'user_repository_permissions',
  { userId: userId(), repositoryId: repositoryId(), level: smallint().notNull(), grantedAt: insertedAt() },
  (table) => [
    primaryKey({ columns: [table.userId, table.repositoryId] }),
    index('user_repository_permissions_by_repository').on(table.repositoryId, table.userId),
    // Lists pass over the repositories that are hidden from everybody, each of which has a row of level none.
    index('user_repository_permissions_granted')
      .on(table.userId, table.repositoryId)
      .where(sql`level > 0`),
  ],
);

export const userGroupRepositoryPermissions = pgTable(
  'user_group_repository_permissions',
  { userGroupId: userGroupId(), repositoryId: repositoryId(), level: smallint().notNull(), grantedAt: insertedAt() },
  (table) => [
    primaryKey({ columns: [table.userGroupId, table.repositoryId] }),
    index('user_group_repository_permissions_by_repository').on(table.repositoryId, table.userGroupId),
  ],
);

export const userRepoGroupPermissions = pgTable(
  'user_repo_group_permissions',
  { userId: userId(), repoGroupId: repoGroupId(), level: smallint().notNull(), grantedAt: insertedAt() },
  (table) => [
    primaryKey({ columns: [table.userId, table.repoGroupId] }),
    index('user_repo_group_permissions_by_repo_group').on(table.repoGroupId, table.userId),
  ],
);

export const userGroupRepoGroupPermissions = pgTable(
  'user_group_repo_group_permissions',
  { userGroupId: userGroupId(), repoGroupId: repoGroupId(), level: smallint().notNull(), grantedAt: insertedAt() },
  (table) => [
    primaryKey({ columns: [table.userGroupId, table.repoGroupId] }),
    index('user_group_repo_group_permissions_by_repo_group').on(table.repoGroupId, table.userGroupId),
  ],
);

/** Rights on the service as a whole; those of the user `default` apply to every user. */
export const userGlobalPermissions = pgTable(
  'user_global_permissions',
  { userId: userId(), permission: text().notNull() },
  (table) => [primaryKey({ columns: [table.userId, table.permission] })],
);

export const userGroupGlobalPermissions = pgTable(
  'user_group_global_permissions',
  { userGroupId: userGroupId(), permission: text().notNull() },
  (table) => [primaryKey({ columns: [table.userGroupId, table.permission] })],
);
