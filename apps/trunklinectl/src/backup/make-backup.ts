import { randomUUID } from 'node:crypto';
import {
  dumpTables,
  holdsTrash,
  holdTrash,
  TrashHeldError,
  withConnection,
  type Database,
  type Dump,
} from '@trunkline/db';
import { serviceVersion } from '@trunkline/runtime';
import type { BackupConfig } from '../config.ts';
import { RefusedError } from '../errors.ts';
import { explainError } from '../explain-error.ts';
import type { Terminal } from '../terminal.ts';
import { withDatabase } from '../with-database.ts';
import { fetchRepository } from './fetch-repository.ts';
import { findStorage } from './find-storage.ts';
import { forEachAtOnce } from './for-each-at-once.ts';
import { encodeManifest, type BackedUpRepository, type BackupFile, type Manifest } from './manifest.ts';
import type { BackupSink } from './sink.ts';
import { progressOf } from './tell-progress.ts';
import { withPatience, withWorkers, type WorkerRequests } from './worker-requests.ts';
import { writeParts } from './write-parts.ts';

export interface BackupTarget {
  readonly sink: BackupSink;
  /** Returns the repository of an earlier backup at the same target whose files are those of this state. */
  readonly findKept: (repository: Dump['repositories'][number]) => Promise<BackedUpRepository | undefined>;
}

export interface MadeBackup {
  readonly manifest: Omit<Manifest, 'format'>;
  /** Number of repositories whose files were kept. */
  readonly kept: number;
}

const heartbeatMs = 60_000;

/** Runs `act` while no trash is emptied; throws when that was not so all the time. */
async function whileTrashIsHeld<T>(url: string, act: () => Promise<T>): Promise<T> {
  return withConnection(url, async (client) => {
    await holdTrash(client).catch((error: unknown) => {
      throw error instanceof TrashHeldError ? new RefusedError(error.message, { cause: error }) : error;
    });
    const heartbeat = setInterval(() => void holdsTrash(client).catch(() => {}), heartbeatMs);
    try {
      const result = await act();
      if (!(await holdsTrash(client))) throw new RefusedError('the connection that kept the trash was lost: try again');
      return result;
    } finally {
      clearInterval(heartbeat);
    }
  });
}

async function dumpInto(url: string, id: string, sink: BackupSink) {
  const files = new Map<string, BackupFile[]>();
  const dump = await withConnection(url, (client) =>
    dumpTables(client, async (table, rows) => {
      files.set(table, await writeParts(sink, `tables/${id}/${table}`, rows));
    }),
  );
  const tables = dump.tables.map((table) => ({
    name: table.name,
    columns: [...table.columns],
    files: files.get(table.name) ?? [],
  }));
  return { dump, tables };
}

/** Writes the tree of a repository as it is now: that of the snapshot, or a later one. */
async function fetchInto(
  { requests, db, sink }: { requests: WorkerRequests; db: Database; sink: BackupSink },
  repository: Dump['repositories'][number],
): Promise<BackedUpRepository> {
  const { id, name, uuid } = repository;
  try {
    return await withPatience(async () => {
      // It may have moved, or been deleted, since the last attempt.
      const storage = (await findStorage(db, id)) ?? repository.storage;
      return fetchRepository(requests, { storage, repositoryId: id }, async ({ head, tree }) => {
        const stem = `repositories/${uuid.slice(0, 2)}/${uuid}.${head.epoch}.${head.generation}`;
        return { ...repository, head, files: await writeParts(sink, stem, tree) };
      });
    });
  } catch (error) {
    throw new RefusedError(`repository \`${name}\` could not be backed up: ${explainError(error).text}`, {
      cause: error,
    });
  }
}

/** Writes all rows as of one moment, and all repositories as of that moment or later, while writes go on. */
export async function makeBackup(
  config: BackupConfig,
  { sink, findKept }: BackupTarget,
  terminal: Pick<Terminal, 'err'>,
): Promise<MadeBackup> {
  const url = config.TRUNKLINE_MIGRATE_URL;
  const id = randomUUID();
  return withWorkers(config, (requests) =>
    whileTrashIsHeld(url, async () => {
      const { dump, tables } = await dumpInto(url, id, sink);
      const count = progressOf(terminal, dump.repositories.length, 'backed up');
      const found = new Map<number, BackedUpRepository>();
      let kept = 0;
      await withDatabase({ TRUNKLINE_DATABASE_URL: url }, (db) =>
        forEachAtOnce(dump.repositories, async (repository) => {
          const earlier = await findKept(repository);
          if (earlier) kept += 1;
          const { head, files } = earlier ?? (await fetchInto({ requests, db, sink }, repository));
          found.set(repository.id, { ...repository, head, files });
          count();
        }),
      );
      const repositories = dump.repositories.flatMap((one) => found.get(one.id) ?? []);
      const { takenAt, schema } = dump;
      const manifest = { id, release: await serviceVersion(), takenAt, schema, tables, repositories };
      const rest = { sequences: [...dump.sequences], secretIds: [...dump.secretIds], storages: [...dump.storages] };
      return { manifest: { ...manifest, ...rest }, kept };
    }),
  );
}

/** Completes a backup. */
export async function completeBackup({ sink }: BackupTarget, { manifest }: MadeBackup): Promise<void> {
  await sink.finish(encodeManifest(manifest));
}
