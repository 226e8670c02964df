import { integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { insertedAt } from './columns.ts';

/** What was imported from other programs, so that a further import recognises it and brings only what has changed. */
export const importedObjects = pgTable(
  'imported_objects',
  {
    /** Kind and digest of the database that was imported. */
    source: text().notNull(),
    kind: text().$type<'user' | 'user_group' | 'repo_group' | 'repository' | 'settings'>().notNull(),
    /** The id there. */
    sourceId: integer().notNull(),
    /** The id here; no foreign key: what is gone here is imported anew. */
    objectId: integer().notNull(),
    /** A digest of each part of what was brought. */
    parts: jsonb().$type<Readonly<Record<string, string>>>().notNull(),
    importedAt: insertedAt(),
  },
  (table) => [primaryKey({ columns: [table.source, table.kind, table.sourceId] })],
);
