import { encodeCallersChanged, subjects } from '@trunkline/contracts';
import {
  extendAttempts,
  findKnownBackup,
  leaveOut,
  listPending,
  watchServer,
  withConnection,
  type Connection,
  type HeldArrival,
  type PendingArrival,
} from '@trunkline/db';
import type { BackedUpRepository, Manifest } from '../backup/manifest.ts';
import { requireBackupsTable } from '../backup/while-trash-is-held.ts';
import { workThrough } from '../backup/work-through.ts';
import { mayPass, withWorkers, type WorkerRequests } from '../backup/worker-requests.ts';
import type { BackupConfig } from '../config.ts';
import { explainError, RefusedError } from '../errors.ts';
import { whileRepositories, type Shown } from '../show-progress.ts';
import { vaultOf } from '../with-database.ts';
import { requireMapped } from './choices.ts';
import { loadBackup, type Restoration } from './load-backup.ts';
import { sendRepository } from './send-repository.ts';

export interface Restored {
  /** Number of repositories that were sent. */
  readonly restored: number;
  /** Whether an earlier run had begun. */
  readonly isContinued: boolean;
  /** Names of those that are damaged. */
  readonly damaged: readonly string[];
}

interface Arrival extends PendingArrival {
  readonly repository: BackedUpRepository;
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

/** Lists what has not arrived yet, and removes what is not to arrive any more. */
async function findArrivals(client: Connection, { source, repositories, mapping }: Restoration): Promise<Arrival[]> {
  const byId = new Map(repositories.map((one) => [one.id, one]));
  const arrivals: Arrival[] = [];
  const all = await listPending(client, source.manifest.id);
  for (const { repositoryId, storage } of all) {
    const repository = byId.get(repositoryId);
    if (repository) requireMapped(repository, storage, mapping);
  }
  for (const pending of all) {
    const repository = byId.get(pending.repositoryId);
    if (repository) arrivals.push({ ...pending, repository });
    else if (!(await leaveOut(client, pending))) {
      throw new RefusedError('another process restores what is to be left out: try again two minutes after its end');
    }
  }
  return arrivals;
}

/** Sends the repositories that have not arrived yet. */
async function sendAll(
  requests: WorkerRequests,
  client: Connection,
  restoration: Restoration,
  terminal: Shown,
): Promise<Omit<Restored, 'isContinued'>> {
  const arrivals = await findArrivals(client, restoration);
  const running = new Set<HeldArrival>();
  const failures: string[] = [];
  const damaged: string[] = [];
  const timer = setInterval(() => void extendAttempts(client, [...running]).catch(() => {}), extendEveryMs);
  try {
    await whileRepositories(terminal, arrivals.length, 'restored', ({ count }) =>
      workThrough(arrivals, {
        mayPass,
        act: async (arrival) => {
          const { isDamaged } = await sendRepository({ ...restoration, requests, client, running }, arrival);
          if (isDamaged) damaged.push(arrival.repository.name);
          count();
        },
        // The others are there: one that cannot be restored holds up none of them.
        failed: ({ repository: { name } }, error) => {
          failures.push(`repository \`${name}\` could not be restored: ${explainError(error).text}`);
        },
      }),
    );
  } finally {
    clearInterval(timer);
  }
  if (failures.length > 0) {
    const rest = 'all others are restored; run this again for those that are left';
    throw new RefusedError([...failures, rest].join('\n'));
  }
  return { restored: arrivals.length, damaged };
}

/** Returns whether a run before this one has loaded the rows of the backup. */
async function isBegun(client: Connection, { id }: Manifest): Promise<boolean> {
  return (await listPending(client, id)).length > 0 || (await findKnownBackup(client, id)) === 'restored';
}

/** Restores a backup whose files were checked into an instance that is empty, or goes on where an earlier run was cut off. */
export async function restoreBackup(
  config: BackupConfig,
  restoration: Restoration,
  terminal: Shown,
): Promise<Restored> {
  const { manifest } = restoration.source;
  const url = config.TRUNKLINE_MIGRATE_URL;
  requireSecrets(config, manifest);
  return withWorkers(config, (requests) =>
    withConnection(url, async (client) => {
      await requireBackupsTable(client);
      const isContinued = await isBegun(client, manifest);
      if (!isContinued) await loadBackup(config, client, restoration);
      // All users and keys are others now.
      requests.bus.publish(subjects.callersChanged, encodeCallersChanged(null));
      await requests.bus.flush();
      const endWatch = watchServer({ url, name: 'trunklinectl', clients: [client] });
      const sent = await sendAll(requests, client, restoration, terminal).finally(endWatch);
      return { ...sent, isContinued };
    }),
  );
}
