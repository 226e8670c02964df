import { repositories, type SecretVault, users } from '@trunkline/db';
import { sql } from 'drizzle-orm';
import { type EmbeddedUserRecord, levelName } from '@trunkline/contracts';
import { gatherEmails } from '../user/email-store.ts';
import { type EmbeddedUserRow, toEmbeddedUserRecord } from '../user/user-record.ts';

const kinds = { user: 1, group: 2, follower: 3 } as const;

/** A user or user group with something to do with a repository; key and networks are there for administrators alone. */
export type RelatedRow = readonly [
  kind: (typeof kinds)[keyof typeof kinds],
  level: number | null,
  id: number,
  name: string,
  firstname: string | null,
  lastname: string | null,
  active: boolean,
  admin: boolean | null,
  ldapDn: string | null,
  lastLogin: string | null,
  email: string | null,
  isPrimary: boolean | null,
  sealedKey: string | null,
  networks: string[] | null,
];

/** What everybody sees of a user, with a row for each e-mail address. */
const userColumns = sql`u.id, u.username as name, u.firstname, u.lastname, u.active, u.admin, u.ldap_dn, u.last_login,
  e.id as email_id, e.email, e.is_primary`;
const userTables = sql`join users u on u.id = given.user_id left join user_emails e on e.user_id = u.id`;
const ofRepository = sql`given.repository_id = ${repositories.id}`;

const toAdmin = sql`${users.admin}`;
const sealedKey = sql`case when ${toAdmin} then (
  select encode(sealed, 'hex') from api_keys where user_id = u.id and builtin) end`;
const networks = sql`case when ${toAdmin} then array(
  select ip_addr from user_ip_addresses where user_id = u.id order by id) end`;

/**
 * All who have something to do with the repository of the query, in the order in which that began. They are one value of
 * JSON, which costs less than rows of the driver. `users` is the caller in the query.
 */
export const relatedRows = sql`(
  select coalesce(json_agg(json_build_array(kind, level, id, name, firstname, lastname, active, admin, ldap_dn,
    last_login::text, email, is_primary, sealed, networks) order by kind, since, id, email_id), '[]')
  from (
    select 1 as kind, given.granted_at as since, ${userColumns}, given.level, ${sealedKey} as sealed, null::text[] as networks
      from user_repository_permissions given ${userTables} where ${ofRepository}
    union all
    select 2, given.granted_at, g.id, g.name, null, null, g.active, null, null, null, null, null, null, given.level, null, null
      from user_group_repository_permissions given join user_groups g on g.id = given.user_group_id where ${ofRepository}
    union all
    select 3, given.followed_at, ${userColumns}, null, ${sealedKey}, ${networks}
      from followers given ${userTables} where ${ofRepository}
  ) related)`;

function toUser(row: RelatedRow) {
  const [, level, id, username, firstname, lastname, active, admin, ldapDn, lastLogin, email, isPrimary, sealed, own] =
    row;
  const user = {
    id,
    username,
    firstname,
    lastname,
    active,
    admin: admin === true,
    ldapDn,
    lastLogin: lastLogin === null ? null : new Date(lastLogin),
    sealedKey: sealed === null ? null : Buffer.from(sealed, 'hex'),
    networks: own,
    email: null as string | null,
    emails: [] as string[],
  };
  return { level: level ?? 0, email, isPrimary, user };
}

/**
 * Lists the users and user groups with a row of their own on a repository, the user `default` included, and the
 * followers. Keys and networks are there for administrators alone.
 */
export function toRelated(rows: readonly RelatedRow[]) {
  const of = (kind: keyof typeof kinds) => rows.filter((row) => row[0] === kinds[kind]);
  return {
    users: gatherEmails(of('user').map(toUser)),
    groups: of('group').map(([, level, id, name, , , active]) => ({ id, name, active, level: level ?? 0 })),
    followers: gatherEmails(of('follower').map(toUser)).map(({ user }) => user),
  };
}

interface UserGroupMember {
  readonly id: number;
  readonly name: string;
  readonly active: boolean;
  readonly level: number;
}

const permissionOf = <K extends 'repository' | 'group'>(kind: K, level: number) =>
  `${kind}.${levelName(level)}` as const;

/** Returns records of the members of a repository or repository group: users first, then user groups. */
export function toMemberRecords<K extends 'repository' | 'group'>(
  kind: K,
  members: {
    readonly users: readonly { readonly user: EmbeddedUserRow; readonly level: number }[];
    readonly groups: readonly UserGroupMember[];
  },
  shown: { vault: SecretVault; toAdmin: boolean },
) {
  const userRecord = (user: EmbeddedUserRow): EmbeddedUserRecord =>
    toEmbeddedUserRecord(user, { ...shown, addresses: false });
  return [
    ...members.users.map(({ user, level }) =>
      Object.assign(userRecord(user), { type: 'user' as const, permission: permissionOf(kind, level) }),
    ),
    ...members.groups.map(({ id, name, active, level }) => ({
      type: 'users_group' as const,
      id,
      name,
      users_group_id: id,
      group_name: name,
      active,
      permission: permissionOf(kind, level),
    })),
  ];
}
