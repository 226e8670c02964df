import { toTimestamp, type EntityRef, type ListedUser } from '@trunkline/contracts';
import { userEmails, userGroupMembers, users, type Db } from '@trunkline/db';
import { and, asc, gt, ne, sql, type SQL } from 'drizzle-orm';
import { userNamed, userNotFound } from './user-store.ts';

const columns = {
  id: users.id,
  username: users.username,
  firstname: users.firstname,
  lastname: users.lastname,
  active: users.active,
  admin: users.admin,
  ldapDn: users.ldapDn,
  lastLogin: users.lastLogin,
  email: sql<string | null>`(select email from ${userEmails} where user_id = users.id and is_primary)`,
};

interface ListedUserFilter {
  /** Regular expression for names and addresses; null for every user. */
  readonly pattern: string | null;
  /** Id of a user group whose members are listed; null for every user. */
  readonly memberOf: number | null;
}

const foundBy = (pattern: string): SQL =>
  sql`(${users.username} ~ ${pattern} or concat_ws(' ', ${users.firstname}, ${users.lastname}) ~ ${pattern}
    or exists (select 1 from ${userEmails} where user_id = users.id and email ~ ${pattern}))`;

const isMember = (groupId: number): SQL =>
  sql`exists (select 1 from ${userGroupMembers} where user_id = users.id and user_group_id = ${groupId})`;

/** Lists a page of the users except `default`, by username. */
export async function listListedUsers(
  db: Db,
  { pattern, memberOf }: ListedUserFilter,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | null },
) {
  return db
    .select(columns)
    .from(users)
    .where(
      and(
        ne(users.usernameKey, 'default'),
        gt(users.username, cursor ?? ''),
        pattern === null ? undefined : foundBy(pattern),
        memberOf === null ? undefined : isMember(memberOf),
      ),
    )
    .orderBy(asc(users.username))
    .limit(limit);
}

type ListedUserRow = Awaited<ReturnType<typeof listListedUsers>>[number];

/** Returns the user that a reference names, `default` included. */
export async function requireListedUser(db: Db, ref: EntityRef): Promise<ListedUserRow> {
  const [row] = await db.select(columns).from(users).where(userNamed(ref));
  if (!row) throw userNotFound(ref);
  return row;
}

export function toListedUser({ id, ldapDn, lastLogin, ...row }: ListedUserRow): ListedUser {
  return { user_id: id, ...row, ldap_dn: ldapDn, last_login: lastLogin && toTimestamp(lastLogin) };
}
