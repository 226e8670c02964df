import { index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { bytea, insertedAt, id, instant } from './columns.ts';
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
