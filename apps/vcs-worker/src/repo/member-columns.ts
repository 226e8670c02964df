import { sql } from 'drizzle-orm';
import { userColumns, type UserRow } from '../user/user-store.ts';
import type { UserGroupMember } from './member-record.ts';

/** A user as Postgres writes one into JSON: the time in milliseconds, the sealed key in Base64. */
interface JsonUser extends Omit<UserRow, 'lastLogin' | 'sealedKey'> {
  readonly lastLogin: number | null;
  readonly sealedKey: string;
}

// The subqueries below have a table `users` of their own, which the columns name.
const user = sql`json_build_object('id', users.id, 'username', users.username, 'firstname', users.firstname,
  'lastname', users.lastname, 'active', users.active, 'admin', users.admin, 'ldapDn', users.ldap_dn,
  'lastLogin', floor(extract(epoch from users.last_login) * 1000), 'email', ${userColumns.email},
  'emails', ${userColumns.emails}, 'networks', ${userColumns.networks},
  'sealedKey', encode(${userColumns.sealedKey}, 'base64'))`;

/** Columns of a statement that selects from `repositories`: its members and followers. */
export const memberColumns = {
  users: sql<JsonMembers['users']>`(
    select coalesce(json_agg(json_build_object('user', ${user}, 'level', p.level) order by p.granted_at, users.id), '[]')
    from user_repository_permissions p join users on users.id = p.user_id where p.repository_id = repositories.id)`,
  groups: sql<JsonMembers['groups']>`(
    select coalesce(json_agg(json_build_object('id', g.id, 'name', g.name, 'active', g.active, 'level', p.level)
      order by p.granted_at, g.id), '[]')
    from user_group_repository_permissions p join user_groups g on g.id = p.user_group_id
    where p.repository_id = repositories.id)`,
  followers: sql<JsonMembers['followers']>`(
    select coalesce(json_agg(${user} order by f.followed_at, users.id), '[]')
    from followers f join users on users.id = f.user_id where f.repository_id = repositories.id)`,
};

interface JsonMembers {
  readonly users: readonly { readonly user: JsonUser; readonly level: number }[];
  readonly groups: readonly UserGroupMember[];
  readonly followers: readonly JsonUser[];
}

function fromJson({ lastLogin, sealedKey, ...rest }: JsonUser): UserRow {
  return {
    ...rest,
    lastLogin: lastLogin === null ? null : new Date(lastLogin),
    sealedKey: Buffer.from(sealedKey, 'base64'),
  };
}

export interface Members {
  /** Users with a row of their own, `default` included, in the order of the grants. */
  readonly users: readonly { readonly user: UserRow; readonly level: number }[];
  readonly groups: readonly UserGroupMember[];
  /** In the order in which they began to follow. */
  readonly followers: readonly UserRow[];
}

/** Returns the members as rows, from the columns as Postgres sends them. */
export function toMembers(row: JsonMembers): Members {
  return {
    users: row.users.map((member) => ({ ...member, user: fromJson(member.user) })),
    groups: row.groups,
    followers: row.followers.map(fromJson),
  };
}
