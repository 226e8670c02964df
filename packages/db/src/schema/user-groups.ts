import { boolean, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { insertedAt, exactText, id } from './columns.ts';
import { users } from './users.ts';

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
