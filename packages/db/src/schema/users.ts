import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { bytea, exactText, id, insertedAt, instant } from './columns.ts';

export const users = pgTable(
  'users',
  {
    id: id(),
    username: exactText().notNull(),
    /** The username without regard to case. */
    usernameKey: text().notNull().unique('users_username_key_unique'),
    passwordHash: text(),
    firstname: text(),
    lastname: text(),
    active: boolean().notNull().default(true),
    admin: boolean().notNull().default(false),
    ldapDn: text(),
    externType: text(),
    externName: text(),
    lastLogin: instant(),
    createdAt: insertedAt(),
  },
  // The list of users is read page by page in this order, and users are found by name.
  (table) => [
    index().on(table.username),
    index('users_foreign_password')
      .on(table.id)
      .where(sql`password_hash not like '$argon2%'`),
  ],
);

export const userEmails = pgTable(
  'user_emails',
  {
    id: id(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    email: text().notNull(),
    emailKey: text().notNull().unique('user_emails_email_key_unique'),
    isPrimary: boolean().notNull().default(false),
  },
  (table) => [
    index().on(table.userId),
    uniqueIndex('user_emails_one_primary')
      .on(table.userId)
      .where(sql`is_primary`),
  ],
);

export const userIpAddresses = pgTable(
  'user_ip_addresses',
  {
    id: id(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** A network in CIDR form; rows of the user `default` apply to every user. */
    ipAddr: text().notNull(),
  },
  (table) => [uniqueIndex().on(table.userId, table.ipAddr)],
);

export const apiKeys = pgTable(
  'api_keys',
  {
    id: id(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Marks the user's built-in key, which can be reset, but is never removed and never expires. */
    builtin: boolean().notNull().default(false),
    description: text().notNull().default(''),
    /** HMAC by which the key is found; `sealed` is the key encrypted, both under the secret with the id `secretId`. */
    hmac: bytea('mac').notNull().unique(),
    sealed: bytea().notNull(),
    secretId: text().notNull(),
    createdAt: insertedAt(),
    expiresAt: instant(),
    lastUsedAt: instant(),
    /** What a limited key is for, `push` with clones and fetches too; null for a key with all rights of its user. */
    limitedTo: text().$type<'fetch' | 'push'>(),
    /** The repositories that a limited key is for; ids of deleted ones stay, and name nothing. Null for all. */
    repositoryIds: integer().array(),
  },
  (table) => [
    index().on(table.userId),
    uniqueIndex('api_keys_one_builtin')
      .on(table.userId)
      .where(sql`builtin`),
    check(
      'api_keys_limited_to',
      sql`${table.limitedTo} is null or ${table.limitedTo} in ('fetch', 'push') and not ${table.builtin}`,
    ),
    check(
      'api_keys_repository_ids',
      sql`${table.repositoryIds} is null or ${table.limitedTo} is not null and cardinality(${table.repositoryIds}) <= 50`,
    ),
  ],
);

export const userGroups = pgTable(
  'user_groups',
  {
    id: id(),
    name: exactText().notNull(),
    /** The name without regard to case. */
    nameKey: text().notNull().unique('user_groups_name_key_unique'),
    description: text().notNull().default(''),
    ownerId: integer()
      .notNull()
      .references(() => users.id),
    active: boolean().notNull().default(true),
    createdAt: insertedAt(),
  },
  // User groups are found by name.
  (table) => [index().on(table.name)],
);

export const userGroupMembers = pgTable(
  'user_group_members',
  {
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    userGroupId: integer()
      .notNull()
      .references(() => userGroups.id, { onDelete: 'cascade' }),
    addedAt: insertedAt(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.userGroupId] }), index().on(table.userGroupId)],
);
