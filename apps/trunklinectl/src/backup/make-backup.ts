import { randomUUID } from 'node:crypto';
import { dumpTables, recordMadeBackup, requireKnownKeys, RestoreUnfinishedError, withConnection } from '@trunkline/db';
import { serviceVersion } from '@trunkline/runtime';
import type { BackupConfig } from '../config.ts';
import { RefusedError } from '../errors.ts';
import type { Shown } from '../show-progress.ts';
import { withDatabase } from '../with-database.ts';
import { fetchAll } from './fetch-all.ts';
import type { FormerBackup } from './former-backup.ts';
import { encodeManifest, type BackupFile, type Manifest } from './manifest.ts';
import { type BackupSink, openSpool, writeParts } from './sink.ts';
import type { HeldTrash } from './while-trash-is-held.ts';
import { withWorkers } from './worker-requests.ts';

export interface BackupTarget {
  readonly sink: BackupSink;
  readonly former: FormerBackup;
  /** Whether the sink may be slow, so that trees are kept on this machine until they are whole. */
  readonly isSlow: boolean;
}

export interface MadeBackup {
  readonly manifest: Omit<Manifest, 'format'>;
  /** Number of repositories whose files were kept. */
  readonly kept: number;
}

async function dumpInto(url: string, id: string, sink: Pick<BackupSink, 'write'>) {
  const files = new Map<string, BackupFile[]>();
  const dump = await withConnection(url, (client) =>
    dumpTables(client, async (table, rows) => {
      files.set(table, await writeParts(sink, `tables/${id}/${table}`, rows));
    }),
  ).catch((error: unknown) => {
    if (!(error instanceof RestoreUnfinishedError)) throw error;
    const todo = 'run `trunklinectl restore` again, with --leave-out for those that are not to come';
    throw new RefusedError(`${error.message}: ${todo}`, { cause: error });
  });
  const tables = dump.tables.map((table) => ({
    name: table.name,
    columns: [...table.columns],
    files: files.get(table.name) ?? [],
  }));
  return { dump, tables };
}

/** Writes the rows; the transaction in which they are read is not held open by a slow sink. */
async function dumpRows(url: string, id: string, { sink, isSlow }: BackupTarget) {
  if (!isSlow) return dumpInto(url, id, sink);
  const spool = await openSpool();
  try {
    const dumped = await dumpInto(url, id, spool);
    await spool.forward(sink);
    return dumped;
  } finally {
    await spool.close();
  }
}

/**
 * Writes all rows as of one moment, and all repositories as of that moment or later, while writes go on, and then the
 * manifest. Repositories that cannot be read are listed in it; throws when there are no others.
 */
export async function makeBackup(
  config: BackupConfig,
  held: HeldTrash,
  target: BackupTarget,
  terminal: Shown,
): Promise<MadeBackup> {
  const url = config.TRUNKLINE_MIGRATE_URL;
  const id = randomUUID();
  const { sink } = target;
  return withWorkers(config, async (requests) => {
    const owner = { TRUNKLINE_DATABASE_URL: url };
    // Workers would answer nothing that is signed under another secret.
    await withDatabase(owner, (db) => requireKnownKeys(db, requests.vault));
    const { dump, tables } = await dumpRows(url, id, target);
    const { repositories, missing, kept } = await withDatabase(owner, (db) =>
      fetchAll({ requests, db, ...target, suffix: id.slice(0, 8) }, dump.repositories, terminal),
    );
    await held.requireStill();
    if (missing.length > 0 && repositories.length === 0) throw new RefusedError('no repository could be backed up');
    const { takenAt, schema } = dump;
    const manifest = {
      id,
      release: await serviceVersion(),
      takenAt,
      schema,
      tables,
      sequences: [...dump.sequences],
      secretIds: [...dump.secretIds],
      storages: [...dump.storages],
      repositories: [...repositories],
      missing: [...missing],
    };
    await recordMadeBackup(held.client, id);
    await sink.finish(encodeManifest(manifest, requests.vault));
    return { manifest, kept };
  });
}
