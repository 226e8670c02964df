import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uuid,
  type AnyPgColumn,
} from 'drizzle-orm/pg-core';
import { bytea, createdAt, exactText, id, instant } from './columns.ts';
import { users } from './users.ts';

/** A storage directory that this instance owns; its marker file holds the same id. */
export const storages = pgTable('storages', { id: uuid().primaryKey(), createdAt: createdAt() });

/** The one name space of repositories and groups, written from the root to the leaf. */
export const names = pgTable(
  'names',
  { path: exactText().primaryKey(), kind: text().$type<'repository' | 'group'>().notNull() },
  (table) => [check('names_kind', sql`${table.kind} in ('repository', 'group')`)],
);

const path = () =>
  exactText()
    .notNull()
    .unique()
    .references(() => names.path, { onUpdate: 'cascade' });

export const repoGroups = pgTable(
  'repo_groups',
  {
    id: id(),
    name: path(),
    parentId: integer().references((): AnyPgColumn => repoGroups.id),
    description: text().notNull().default(''),
    ownerId: integer()
      .notNull()
      .references(() => users.id),
    enableLocking: boolean().notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [index().on(table.parentId), index().on(table.ownerId)],
);

/** The recorded tip: the newest changeset when the bytes last changed; `date` is in milliseconds since 1970. */
export interface StoredChangeset {
  readonly rawId: string;
  readonly revision: number;
  readonly author: string;
  readonly date: number;
  readonly message: string;
}

export const repositories = pgTable(
  'repositories',
  {
    id: id(),
    uuid: uuid().notNull().unique(),
    name: path(),
    groupId: integer().references(() => repoGroups.id),
    type: text().$type<'hg' | 'git'>().notNull(),
    /** Only a `ready` repository exists for reads, lists and permissions. */
    state: text().$type<'creating' | 'ready' | 'deleting'>().notNull(),
    storageId: uuid()
      .notNull()
      .references(() => storages.id),
    /** Relative to the storage's root; never changes with the name. */
    storagePath: text().notNull().unique('repositories_storage_path_unique'),
    private: boolean().notNull(),
    description: text().notNull(),
    ownerId: integer()
      .notNull()
      .references(() => users.id),
    /** A password is masked here, and the full URL is sealed in `sealed_clone_uri`. */
    cloneUri: text(),
    cloneUriSealed: bytea(),
    landingRev: text().notNull(),
    enableDownloads: boolean().notNull(),
    enableLocking: boolean().notNull(),
    enableStatistics: boolean().notNull(),
    forkOfId: integer().references((): AnyPgColumn => repositories.id, { onDelete: 'set null' }),
    /** Grows with every change of bytes; part of every cache key. */
    generation: bigint({ mode: 'number' }).notNull().default(1),
    lastChangeset: jsonb().$type<StoredChangeset>(),
    /** A write was interrupted: the next one repairs the repository first. */
    needsRecovery: boolean().notNull().default(false),
    lockedById: integer().references(() => users.id, { onDelete: 'set null' }),
    lockedAt: instant(),
    createdAt: createdAt(),
  },
  (table) => [index().on(table.ownerId), index().on(table.forkOfId), index().on(table.groupId)],
);

export const followers = pgTable(
  'followers',
  {
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    repositoryId: integer()
      .notNull()
      .references(() => repositories.id, { onDelete: 'cascade' }),
    followedAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.repositoryId] }), index().on(table.repositoryId)],
);
