import { index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';
import { users } from './users.ts';

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
