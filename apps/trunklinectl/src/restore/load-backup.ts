import {
  LoadRefusedError,
  loadTables,
  requireKnownKeys,
  storages,
  type Arriving,
  type Connection,
} from '@trunkline/db';
import { asc, eq } from 'drizzle-orm';
import type { BackedUpRepository } from '../backup/manifest.ts';
import type { BackupConfig } from '../config.ts';
import { RefusedError } from '../errors.ts';
import { vaultOf, withDatabase } from '../with-database.ts';
import { type BackupSource, contentOf } from './backup-source.ts';
import { chooseStorages } from './choices.ts';

export interface Restoration {
  readonly source: Pick<BackupSource, 'manifest' | 'read'>;
  /** Those of the manifest that are restored. */
  readonly repositories: readonly BackedUpRepository[];
  readonly mapping: ReadonlyMap<string, string>;
  /** Whether repositories that are damaged are restored as they are. */
  readonly acceptDamaged: boolean;
}

/** Says where each repository is to arrive: at a path that no earlier life of the instance has had. */
async function planArrivals(
  config: BackupConfig,
  { repositories, mapping }: Restoration,
): Promise<readonly Arriving[]> {
  const here = await withDatabase({ TRUNKLINE_DATABASE_URL: config.TRUNKLINE_MIGRATE_URL }, async (db) => {
    // Workers with another secret would take no repository.
    await requireKnownKeys(db, vaultOf(config));
    return db
      .select({ id: storages.id, name: storages.name, weight: storages.weight })
      .from(storages)
      .where(eq(storages.state, 'active'))
      .orderBy(asc(storages.name));
  });
  const chosen = chooseStorages(repositories, here, mapping);
  const now = Math.floor(Date.now() / 1_000);
  return repositories.flatMap(({ id, uuid, epoch: former }) => {
    const storage = chosen.get(id);
    // Numbered by time: after two restores of one backup, both lives would else have the same epoch.
    const epoch = Math.max(now, former + 1);
    return storage
      ? [{ id, epoch, storageId: storage.id, storagePath: `@repos/${uuid.slice(0, 2)}/${uuid}.${epoch}` }]
      : [];
  });
}

/** Replaces all rows by those of the backup, whose repositories are hidden until they arrive. */
export async function loadBackup(config: BackupConfig, client: Connection, restoration: Restoration): Promise<void> {
  const { source } = restoration;
  const { id: backup, schema, tables, sequences } = source.manifest;
  const filesOf = new Map(tables.map(({ name, files }) => [name, files]));
  const rowsOf = (table: string) => contentOf(source, filesOf.get(table) ?? []);
  const arriving = await planArrivals(config, restoration);
  try {
    await loadTables(client, { backup, schema, tables, sequences, arriving, rowsOf });
  } catch (error) {
    throw error instanceof LoadRefusedError ? new RefusedError(error.message, { cause: error }) : error;
  }
}
