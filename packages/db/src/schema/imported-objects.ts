import { integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { insertedAt } from './columns.ts';

/** What is known of an imported object beside its id. */
export interface ImportedParts {
  /** Two digests of each part: of what the source had when it was last brought, and of what was written here then. */
  readonly digests: Readonly<Record<string, readonly [source: string, here: string]>>;
  /** What the source had of lists whose entries are brought one by one. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  /** What the source had of rights when each was last brought, by holder: such as the level of each on one object. */
  readonly pairs?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Fingerprint of the bytes that a worker has made the repository. */
  readonly bytes?: string;
  /** The operation that brings further bytes, and their fingerprint. */
  readonly arriving?: { readonly operationId: string; readonly bytes: string };
}

/** What was imported from other programs, so that a further import recognises it and brings only what has changed. */
export const importedObjects = pgTable(
  'imported_objects',
  {
    /** Kind and digest of the database that was imported. */
    source: text().notNull(),
    kind: text().$type<'user' | 'user_group' | 'repo_group' | 'repository' | 'settings'>().notNull(),
    /** The id there. */
    sourceId: integer().notNull(),
    /** The id here; no foreign key: the row outlives what was deleted here, which is not imported anew. */
    objectId: integer().notNull(),
    parts: jsonb().$type<ImportedParts>().notNull(),
    importedAt: insertedAt(),
  },
  (table) => [primaryKey({ columns: [table.source, table.kind, table.sourceId] })],
);
