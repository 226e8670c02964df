import {
  apiKeys,
  findFirstAdminId,
  foldCase,
  insertUserRows,
  prepared,
  isUniqueViolation,
  userEmails,
  userIpAddresses,
  users,
  type Db,
  type StoredKey,
} from '@trunkline/db';
import { ConflictError, NotFoundError, type EmailAddress, type EntityRef } from '@trunkline/contracts';
import { and, asc, eq, gt, ne, sql, type SQL } from 'drizzle-orm';
import { emailTaken } from './email-store.ts';

/** Columns of a user that stand in the row itself. */
export const plainUserColumns = {
  id: users.id,
  username: users.username,
  firstname: users.firstname,
  lastname: users.lastname,
  active: users.active,
  admin: users.admin,
  ldapDn: users.ldapDn,
  lastLogin: users.lastLogin,
};

// The subqueries name `users.id` as text: in a query of one table drizzle omits the table's name, so that `id` would
// mean a column of the subquery's table.
/** The user's built-in key. */
export const sealedKey = sql<Buffer>`(select sealed from ${apiKeys} where user_id = users.id and builtin)`;

/** Columns of a user with addresses, networks and the built-in key. */
export const userColumns = {
  ...plainUserColumns,
  email: sql<string | null>`(select email from ${userEmails} where user_id = users.id and is_primary)`,
  emails: sql<string[]>`array(select email from ${userEmails} where user_id = users.id and not is_primary order by id)`,
  networks: sql<string[]>`array(select ip_addr from ${userIpAddresses} where user_id = users.id order by id)`,
  sealedKey,
};

export type UserRow = Awaited<ReturnType<typeof listUsers>>[number];

/** What everybody sees of a user. */
export type ShownUserRow = Omit<UserRow, 'networks' | 'sealedKey'>;

/** Returns the condition that selects the row that a reference names. */
export function userNamed(ref: EntityRef): SQL {
  if (ref.id !== null) return eq(users.id, ref.id);
  return ref.name === null ? sql`false` : eq(users.username, ref.name);
}

const userById = prepared((db) =>
  db
    .select(userColumns)
    .from(users)
    .where(eq(users.id, sql.placeholder('id')))
    .prepare('user_by_id'),
);

const referredId = sql`coalesce(
  ${sql.placeholder('id')}::int,
  (select u.id from users u where u.username = ${sql.placeholder('name')}::text)
)`;

export async function findUserById(db: Db, id: number): Promise<UserRow | undefined> {
  const [row] = await userById(db).execute({ id });
  return row;
}

/** Lists users except `default`, by username in byte order; on a page those after the cursor. */
export async function listUsers(db: Db, page: { readonly limit: number; readonly cursor: string | null }) {
  return db
    .select(userColumns)
    .from(users)
    .where(and(ne(users.usernameKey, 'default'), gt(users.username, page.cursor ?? '')))
    .orderBy(asc(users.username))
    .limit(page.limit);
}

const nameByRef = prepared((db) =>
  db
    .select({ id: users.id, username: users.username, isDefault: sql<boolean>`${users.usernameKey} = 'default'` })
    .from(users)
    .where(eq(users.id, referredId))
    .prepare('name_by_ref'),
);

/** Returns id and name of the user that a reference names, `default` included. */
export async function findNamedUser(db: Db, ref: EntityRef) {
  const [row] = await nameByRef(db).execute({ id: ref.id, name: ref.name });
  return row;
}

/** As `findNamedUser`; throws NotFoundError when there is none. */
export async function requireUser(db: Db, ref: EntityRef): Promise<{ id: number; username: string }> {
  const row = await findNamedUser(db, ref);
  if (!row) throw userNotFound(ref);
  return { id: row.id, username: row.username };
}

/** Returns id and name of the user that a reference names; `default` is refused, since it owns nothing. */
export async function requireOwner(db: Db, ref: EntityRef): Promise<{ id: number; username: string }> {
  const row = await findNamedUser(db, ref);
  if (!row || row.isDefault) throw userNotFound(ref);
  return { id: row.id, username: row.username };
}

/** Returns the first administrator, who owns the groups that are created implicitly. */
export async function requireFirstAdmin(db: Db): Promise<{ id: number }> {
  const id = await findFirstAdminId(db);
  if (id === undefined) throw new Error('the instance has no administrator');
  return { id };
}

export function userNotFound(ref: EntityRef): NotFoundError {
  return new NotFoundError(`user \`${ref.sent}\` does not exist`);
}

export interface NewUser {
  readonly username: string;
  readonly email: EmailAddress;
  readonly passwordHash: string | null;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly active: boolean;
  readonly admin: boolean;
  readonly ldapDn: string | null;
  readonly externType: string | null;
  readonly externName: string | null;
  readonly key: StoredKey;
}

export async function requireUsernameFree(db: Db, username: string): Promise<void> {
  const [row] = await db
    .select({ id: users.id })
    .from(users)
    .where(eq(users.usernameKey, foldCase(username)));
  if (row) throw new ConflictError(`user \`${username}\` already exist`);
}

/**
 * Inserts a user with primary address and built-in key. When another transaction takes name or address first, throws
 * the error for a taken one.
 */
export async function insertUser(db: Db, { email, ...user }: NewUser): Promise<UserRow> {
  try {
    const id = await insertUserRows(db, { ...user, address: email.address });
    const inserted = await findUserById(db, id);
    if (!inserted) throw new Error('the inserted user is gone');
    return inserted;
  } catch (error) {
    if (isUniqueViolation(error, 'users_username_key_unique')) {
      throw new ConflictError(`user \`${user.username}\` already exist`, { cause: error });
    }
    if (isUniqueViolation(error, 'user_emails_email_key_unique')) throw emailTaken(email.sent, error);
    throw error;
  }
}
