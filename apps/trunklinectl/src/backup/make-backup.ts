import { randomUUID } from 'node:crypto';
import { dumpTables, recordMadeBackup, withConnection } from '@trunkline/db';
import { serviceVersion } from '@trunkline/runtime';
import type { BackupConfig } from '../config.ts';
import { RefusedError } from '../errors.ts';
import type { Terminal } from '../terminal.ts';
import { withDatabase } from '../with-database.ts';
import { fetchAll } from './fetch-all.ts';
import type { FormerBackup } from './former-backup.ts';
import { encodeManifest, type BackupFile, type Manifest } from './manifest.ts';
import type { BackupSink } from './sink.ts';
import type { HeldTrash } from './while-trash-is-held.ts';
import { withWorkers } from './worker-requests.ts';
import { writeParts } from './write-parts.ts';

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

/**
 * Writes all rows as of one moment, and all repositories as of that moment or later, while writes go on, and then the
 * manifest. Repositories that cannot be read are listed in it; throws when there are no others.
 */
export async function makeBackup(
  config: BackupConfig,
  held: HeldTrash,
  { sink, former, isSlow }: BackupTarget,
  terminal: Pick<Terminal, 'err'>,
): Promise<MadeBackup> {
  const url = config.TRUNKLINE_MIGRATE_URL;
  const id = randomUUID();
  return withWorkers(config, async (requests) => {
    const { dump, tables } = await dumpInto(url, id, sink);
    const { repositories, missing, kept } = await withDatabase({ TRUNKLINE_DATABASE_URL: url }, (db) =>
      fetchAll({ requests, db, sink, former, isSlow, suffix: id.slice(0, 8) }, dump.repositories, terminal),
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
    await sink.finish(encodeManifest(manifest));
    return { manifest, kept };
  });
}
