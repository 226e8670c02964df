import { rawJson, type PermissionsRecord } from '@trunkline/contracts';
import { apiKeys, repositories, userEmails, userIpAddresses, users } from '@trunkline/db';
import { sql, type SQL } from 'drizzle-orm';
import { globalPermissionsOf, ofCallerAlone, ofCallerAndUser, shownUser } from '../../authz/access-query.ts';
import type { RepositoryAccess, Rights } from '../../authz/authorize.ts';
import { repoGroupMap, repositoryMap, userGroupMap } from './permission-maps.ts';
import type { UserRow } from './user-store.ts';

/** Query for the networks of the user whom a call names, null when there is none, and for what decides on the call. */
export const networksWithCaller = ofCallerAlone('networks_with_caller', {
  shown: sql<string[] | null>`(
    select array(select ip_addr from ${userIpAddresses} where user_id = target.id order by id)
    from users target where target.id = coalesce(${sql.placeholder('targetId')}::int,
      (select named.id from users named where named.username = ${sql.placeholder('targetName')}::text)))`,
});

/** What `get_user` shows of a user; the maps of permissions are JSON. */
export interface UserDetails extends UserRow {
  readonly globalPermissions: readonly string[];
  readonly repositories: string;
  readonly repoGroups: string;
  readonly userGroups: string;
  /** Of the repositories that the user owns; null for callers who are no administrators. */
  readonly size: Readonly<Record<'size_bytes' | 'size_unknown', number>> | null;
}

interface UserWithCaller extends Rights<RepositoryAccess> {
  readonly shown: UserDetails | null;
}

const { id } = shownUser;
/** The columns of the caller, who is `users` in the query. */
const toAdmin = sql`${users.admin}`;
/** Reads nothing when there is no such user, or none whom the caller may see. */
const ifShown = <T>(value: SQL<T>) => sql<T>`case when ${id} is not null then ${value} end`;
const permissions = globalPermissionsOf(id);
const size = sql`case when ${toAdmin} then (
  select json_build_object('size_bytes', coalesce(sum(size_bytes), 0), 'size_unknown', count(*) filter (where size_bytes is null))
  from ${repositories} where owner_id = ${id} and state = 'ready') end`;

/** Query for a user with all permissions, and for what decides on the call, in one snapshot. */
export const userWithCaller = ofCallerAndUser<UserWithCaller>('user_with_caller', (db) => ({
  shown: {
    id,
    username: shownUser.username,
    firstname: shownUser.firstname,
    lastname: shownUser.lastname,
    active: shownUser.active,
    admin: shownUser.admin,
    ldapDn: shownUser.ldapDn,
    lastLogin: shownUser.lastLogin,
    email: sql`(select email from ${userEmails} where user_id = ${id} and is_primary)`,
    emails: sql`array(select email from ${userEmails} where user_id = ${id} and not is_primary order by id)`,
    networks: sql`array(select ip_addr from ${userIpAddresses} where user_id = ${id} order by id)`,
    sealedKey: sql`(select sealed from ${apiKeys} where user_id = ${id} and builtin)`,
    globalPermissions: ifShown(permissions),
    repositories: ifShown(repositoryMap(db, shownUser, toAdmin)),
    repoGroups: ifShown(repoGroupMap(shownUser, toAdmin)),
    userGroups: ifShown(userGroupMap(shownUser, permissions, toAdmin)),
    size: ifShown(size),
  },
}));

/**
 * Returns the permissions of a user (spec 2.2). A user's own maps leave out objects of level none; those for
 * administrators have every name.
 */
export function toPermissionsRecord(row: UserDetails): PermissionsRecord {
  const map = (json: string) => rawJson(json) as Record<string, string>;
  return {
    global: row.admin ? ['hg.admin', 'hg.create.write_on_repogroup.true'] : row.globalPermissions.toSorted(),
    repositories: map(row.repositories),
    repositories_groups: map(row.repoGroups),
    user_groups: map(row.userGroups),
  };
}
