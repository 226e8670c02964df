import { index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytea, id, insertedAt, instant } from './columns.ts';
import { users } from './users.ts';

/** Sessions of users that have signed in; those idle for too long are removed. */
export const sessions = pgTable(
  'sessions',
  {
    id: id(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The HMAC of the cookie's token; the token itself is not stored. */
    hmac: bytea('mac').notNull().unique(),
    createdAt: insertedAt(),
    expiresAt: instant().notNull(),
    lastSeenAt: instant().notNull().defaultNow(),
    ip: text().notNull(),
    userAgent: text().notNull().default(''),
  },
  (table) => [index().on(table.userId), index().on(table.expiresAt)],
);

/** Addresses from which users have signed in: a bounded number of each user, the newest ones. */
export const signInSources = pgTable(
  'sign_in_sources',
  {
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** An IPv4 address, or the /64 of an IPv6 address. */
    source: text().notNull(),
    signedInAt: instant().notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.source] }), index().on(table.source)],
);
