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
  unique,
  uuid,
  type AnyPgColumn,
} from 'drizzle-orm/pg-core';
import { bytea, insertedAt, exactText, id, instant } from './columns.ts';
import { users } from './users.ts';

/** A storage directory that this instance owns; its marker file holds the same id. */
export const storages = pgTable(
  'storages',
  {
    id: uuid().primaryKey(),
    /** Name by which operators and settings know the storage. */
    name: exactText().notNull().unique(),
    /** What the storage takes: `draining` no new repositories, `read-only` no writes, the last two nothing. */
    state: text().$type<'active' | 'draining' | 'read-only' | 'offline' | 'lost'>().notNull().default('active'),
    /** The administrator as whom repositories are moved away while the state is `draining`; no foreign key, as in operations. */
    drainedById: integer(),
    /** Share of new repositories, beside the free space. */
    weight: integer().notNull().default(100),
    /** Whether workers maintain the storage's repositories by themselves. */
    maintenance: boolean().notNull().default(true),
    /** Sizes of the file system as the last probe found them; null where they are unknown. */
    capacityBytes: bigint({ mode: 'number' }),
    freeBytes: bigint({ mode: 'number' }),
    /** Time at which a worker last probed the storage and found it there. */
    seenAt: instant(),
    createdAt: insertedAt(),
    /** The worker that clears staging and trash until its lease ends. */
    sweptBy: uuid(),
    sweepLeaseUntil: instant(),
  },
  (table) => [
    check('storages_name', sql`${table.name} ~ '^[a-z0-9-]{1,32}$'`),
    check('storages_state', sql`${table.state} in ('active', 'draining', 'read-only', 'offline', 'lost')`),
    check('storages_weight', sql`${table.weight} between 1 and 10000`),
  ],
);

/** Names of all repositories and groups, which share one name space; rows are written from the root to the leaf. */
export const names = pgTable(
  'names',
  { name: exactText('path').primaryKey(), kind: text().$type<'repository' | 'group'>().notNull() },
  (table) => [check('names_kind', sql`${table.kind} in ('repository', 'group')`)],
);

const uniqueName = () =>
  exactText()
    .notNull()
    .unique()
    .references(() => names.name, { onUpdate: 'cascade' });

export const repoGroups = pgTable(
  'repo_groups',
  {
    id: id(),
    name: uniqueName(),
    parentId: integer().references((): AnyPgColumn => repoGroups.id),
    description: text().notNull().default(''),
    ownerId: integer()
      .notNull()
      .references(() => users.id),
    enableLocking: boolean().notNull().default(false),
    createdAt: insertedAt(),
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
    name: uniqueName(),
    groupId: integer().references(() => repoGroups.id),
    type: text().$type<'hg' | 'git'>().notNull(),
    /** Only a `ready` repository exists for reads, lists and permissions. */
    state: text().$type<'creating' | 'ready' | 'deleting'>().notNull(),
    storageId: uuid()
      .notNull()
      .references(() => storages.id),
    /** Path relative to the storage's root; a change of the name does not change the path. */
    storagePath: text().notNull(),
    /** Grows when the repository moves to another storage; a write of an earlier epoch does not count. */
    epoch: bigint({ mode: 'number' }).notNull().default(1),
    /** Bytes on the disk after the last operation; null while unknown. */
    sizeBytes: bigint({ mode: 'number' }),
    private: boolean().notNull(),
    description: text().notNull(),
    ownerId: integer()
      .notNull()
      .references(() => users.id),
    /** URL of the remote. A password in the URL is masked, and the full URL is sealed in `clone_uri_sealed`. */
    cloneUri: text(),
    cloneUriSealed: bytea(),
    /** Id of the secret under which `clone_uri_sealed` is sealed; null also for values sealed by early releases. */
    cloneUriSecretId: text(),
    landingRev: text().notNull(),
    enableDownloads: boolean().notNull(),
    enableLocking: boolean().notNull(),
    enableStatistics: boolean().notNull(),
    forkOfId: integer().references((): AnyPgColumn => repositories.id, { onDelete: 'set null' }),
    /** Grows with every change of bytes; part of every cache key. */
    generation: bigint({ mode: 'number' }).notNull().default(1),
    /** The generation since which objects are gone that no reference reached; null while none were removed. */
    removedAtGeneration: bigint({ mode: 'number' }),
    lastChangeset: jsonb().$type<StoredChangeset>(),
    /** The branch that clients of git check out, when the bytes last changed; null in hg, for none, and while unknown. */
    defaultBranch: text(),
    /** Set when a write was interrupted: the next write repairs the repository first. */
    needsRecovery: boolean().notNull().default(false),
    lockedById: integer().references(() => users.id, { onDelete: 'set null' }),
    lockedAt: instant(),
    createdAt: insertedAt(),
  },
  (table) => [
    unique('repositories_stored_at').on(table.storageId, table.storagePath),
    // Pages of an owner's repositories are read in order of id. There is no index of the owner alone: where there is one,
    // Postgres may take it and sort all of the owner's repositories for each page.
    index().on(table.ownerId, table.id),
    index().on(table.forkOfId),
    // Pages of the forks of one are read in order of name.
    index('repositories_forks')
      .on(table.forkOfId, table.name)
      .where(sql`fork_of_id is not null`),
    // Pages of a group, or of an owner, are read in order of name.
    index().on(table.groupId, table.name),
    index().on(table.ownerId, table.name),
    index('repositories_clone_uri_secret')
      .on(table.cloneUriSecretId)
      .where(sql`clone_uri_sealed is not null`),
    index('repositories_locked')
      .on(table.id)
      .where(sql`locked_at is not null`),
    // Those of earlier releases, until a worker has read them.
    index('repositories_default_branch_unknown')
      .on(table.storageId, table.id)
      .where(sql`type = 'git' and default_branch is null`),
    index('repositories_locked_by')
      .on(table.lockedById, table.id)
      .where(sql`locked_by_id is not null`),
  ],
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
    followedAt: insertedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.repositoryId] }),
    index().on(table.repositoryId, table.userId),
  ],
);
