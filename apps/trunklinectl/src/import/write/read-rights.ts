import {
  userGroupRepoGroupPermissions,
  userGroupRepositoryPermissions,
  userRepoGroupPermissions,
  userRepositoryPermissions,
  type Transaction,
} from '@trunkline/db';
import { asc, eq, sql } from 'drizzle-orm';
import type { DerivedRows } from '../plan/derive-rows.ts';
import { rowsHere, sortedPairs } from './write-rights.ts';
import type { Writing } from './writing.ts';

/** Who has which level on one object, in a form that can be compared. */
export interface Rights {
  readonly everybody: number | null;
  /** Ids with levels, in the order of ids. */
  readonly users: readonly (readonly [id: number, level: number])[];
  readonly userGroups: readonly (readonly [id: number, level: number])[];
}

/** Returns the rights of the source, by its ids. */
export function rightsOfSource({ defaultLevel, users, userGroups }: DerivedRows): Rights {
  return { everybody: defaultLevel, users: sortedPairs([...users]), userGroups: sortedPairs([...userGroups]) };
}

/** Returns the rights that would be written here. */
export function rightsWanted({ ids }: Writing, rows: DerivedRows): Rights {
  return {
    everybody: rows.defaultLevel,
    users: sortedPairs(rowsHere(ids.users, rows.users)),
    userGroups: sortedPairs(rowsHere(ids.userGroups, rows.userGroups)),
  };
}

interface UserRow {
  readonly id: number;
  readonly level: number;
  readonly isDefault: boolean;
}

function toRights(users: readonly UserRow[], userGroups: readonly { id: number; level: number }[]): Rights {
  return {
    everybody: users.find(({ isDefault }) => isDefault)?.level ?? null,
    users: users.filter(({ isDefault }) => !isDefault).map(({ id, level }) => [id, level] as const),
    userGroups: userGroups.map(({ id, level }) => [id, level] as const),
  };
}

const isDefault = (userId: unknown) => sql<boolean>`${userId} = (select id from users where username_key = 'default')`;

export async function readRepositoryRights(tx: Transaction, repositoryId: number): Promise<Rights> {
  const [byUser, byGroup] = [userRepositoryPermissions, userGroupRepositoryPermissions];
  const users = await tx
    .select({ id: byUser.userId, level: byUser.level, isDefault: isDefault(byUser.userId) })
    .from(byUser)
    .where(eq(byUser.repositoryId, repositoryId))
    .orderBy(asc(byUser.userId));
  const groups = await tx
    .select({ id: byGroup.userGroupId, level: byGroup.level })
    .from(byGroup)
    .where(eq(byGroup.repositoryId, repositoryId))
    .orderBy(asc(byGroup.userGroupId));
  return toRights(users, groups);
}

export async function readGroupRights(tx: Transaction, repoGroupId: number): Promise<Rights> {
  const [byUser, byGroup] = [userRepoGroupPermissions, userGroupRepoGroupPermissions];
  const users = await tx
    .select({ id: byUser.userId, level: byUser.level, isDefault: isDefault(byUser.userId) })
    .from(byUser)
    .where(eq(byUser.repoGroupId, repoGroupId))
    .orderBy(asc(byUser.userId));
  const groups = await tx
    .select({ id: byGroup.userGroupId, level: byGroup.level })
    .from(byGroup)
    .where(eq(byGroup.repoGroupId, repoGroupId))
    .orderBy(asc(byGroup.userGroupId));
  return toRights(users, groups);
}
