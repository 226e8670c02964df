import { encodeCallersChanged, subjects } from '@trunkline/contracts';
import {
  extendAttempts,
  LoadRefusedError,
  listPending,
  loadTables,
  releaseAttempts,
  storages,
  withConnection,
  type Arriving,
  type Connection,
} from '@trunkline/db';
import { asc, eq } from 'drizzle-orm';
import { forEachAtOnce } from '../backup/for-each-at-once.ts';
import type { Manifest } from '../backup/manifest.ts';
import { progressOf } from '../backup/tell-progress.ts';
import { withWorkers, type WorkerRequests } from '../backup/worker-requests.ts';
import type { BackupConfig } from '../config.ts';
import { RefusedError } from '../errors.ts';
import { explainError } from '../explain-error.ts';
import type { Terminal } from '../terminal.ts';
import { vaultOf, withDatabase } from '../with-database.ts';
import { contentOf } from './check-files.ts';
import { chooseStorages } from './choose-storages.ts';
import { sendRepository } from './send-repository.ts';

export interface Restoration {
  readonly manifest: Manifest;
  readonly directory: string;
  readonly mapping: ReadonlyMap<string, string>;
}

const extendEveryMs = 30_000;

/** Throws when API keys and remote passwords of the backup could not be read with the secrets of this environment. */
function requireSecrets(config: BackupConfig, { secretIds }: Manifest): void {
  const known = new Set(vaultOf(config).secretIds);
  if (secretIds.every((id) => known.has(id))) return;
  throw new RefusedError(
    'the backup was written under a secret that is neither TRUNKLINE_SECRET nor one of TRUNKLINE_OLD_SECRETS',
  );
}

/** Says where each repository is to arrive: at a path that no earlier life of the instance has had. */
async function planArrivals(config: BackupConfig, { manifest, mapping }: Restoration): Promise<readonly Arriving[]> {
  const here = await withDatabase({ TRUNKLINE_DATABASE_URL: config.TRUNKLINE_MIGRATE_URL }, (db) =>
    db
      .select({ id: storages.id, name: storages.name, weight: storages.weight })
      .from(storages)
      .where(eq(storages.state, 'active'))
      .orderBy(asc(storages.name)),
  );
  const chosen = chooseStorages(manifest.repositories, here, mapping);
  const now = Math.floor(Date.now() / 1_000);
  return manifest.repositories.flatMap(({ id, uuid, epoch: former }) => {
    const storage = chosen.get(id);
    // Numbered by time: after two restores of one backup, both lives would else have the same epoch.
    const epoch = Math.max(now, former + 1);
    return storage
      ? [{ id, epoch, storageId: storage.id, storagePath: `@repos/${uuid.slice(0, 2)}/${uuid}.${epoch}` }]
      : [];
  });
}

async function load(config: BackupConfig, client: Connection, restoration: Restoration): Promise<void> {
  const { manifest, directory } = restoration;
  const { id: backup, schema, tables, sequences } = manifest;
  const filesOf = new Map(tables.map(({ name, files }) => [name, files]));
  const rowsOf = (table: string) => contentOf(directory, filesOf.get(table) ?? []);
  const arriving = await planArrivals(config, restoration);
  try {
    await loadTables(client, { backup, schema, tables, sequences, arriving, rowsOf });
  } catch (error) {
    throw error instanceof LoadRefusedError ? new RefusedError(error.message, { cause: error }) : error;
  }
}

/** Sends the repositories that have not arrived yet; returns how many. */
async function sendPending(
  requests: WorkerRequests,
  client: Connection,
  { manifest, directory }: Restoration,
  terminal: Pick<Terminal, 'err'>,
): Promise<number> {
  const pending = await listPending(client, manifest.id);
  const byId = new Map(manifest.repositories.map((one) => [one.id, one]));
  const count = progressOf(terminal, pending.length, 'restored');
  const running = new Set<string>();
  const failures: string[] = [];
  const timer = setInterval(() => void extendAttempts(client, [...running]).catch(() => {}), extendEveryMs);
  try {
    await forEachAtOnce(pending, async (one) => {
      const repository = byId.get(one.repositoryId);
      if (!repository) return;
      try {
        await sendRepository({ requests, client, directory, running }, one, repository);
      } catch (error) {
        await releaseAttempts(client, [one.operationId]);
        const why = explainError(error).text;
        failures.push(`repository \`${repository.name}\` could not be restored: ${why}`);
      }
      count();
    });
  } finally {
    clearInterval(timer);
  }
  // The others are there: one that cannot be restored holds up none of them.
  if (failures.length > 0) throw new RefusedError(failures.join('\n'));
  return pending.length;
}

/** Restores a backup whose files were checked into an instance that is empty, or goes on where an earlier run was cut off. */
export async function restoreBackup(
  config: BackupConfig,
  restoration: Restoration,
  terminal: Pick<Terminal, 'err'>,
): Promise<number> {
  requireSecrets(config, restoration.manifest);
  return withWorkers(config, (requests) =>
    withConnection(config.TRUNKLINE_MIGRATE_URL, async (client) => {
      const isBegun = (await listPending(client, restoration.manifest.id)).length > 0;
      if (!isBegun) await load(config, client, restoration);
      // All users and keys are others now.
      requests.bus.publish(subjects.callersChanged, encodeCallersChanged(null));
      await requests.bus.flush();
      return sendPending(requests, client, restoration, terminal);
    }),
  );
}
