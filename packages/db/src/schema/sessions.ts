import { index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { bytea, createdAt, id, instant } from './columns.ts';
import { users } from './users.ts';

/** Who has signed in and not been away for too long. */
export const sessions = pgTable(
  'sessions',
  {
    id: id(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The value under which the token in the cookie is looked up; the token itself is nowhere. */
    mac: bytea().notNull().unique(),
    createdAt: createdAt(),
    expiresAt: instant().notNull(),
    lastSeenAt: instant().notNull().defaultNow(),
    ip: text().notNull(),
    userAgent: text().notNull().default(''),
  },
  (table) => [index().on(table.userId), index().on(table.expiresAt)],
);
