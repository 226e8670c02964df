import { BusyError, encodeError, SnapshotRequest, subjects, toRpcError } from '@trunkline/contracts';
import type { SecretVault } from '@trunkline/db';
import type { Bus, DataServer, Logger } from '@trunkline/runtime';
import { Semaphore, withTimeout } from '@trunkline/runtime/concurrency';
import * as v from 'valibot';
import { streamTree } from '../../copies/stream/stream-tree.ts';
import { decodeStorageRequest, serveStorageRequests } from '../storage-requests.ts';
import type { ServedStorage, Storages } from '../storages.ts';
import { takeSnapshot, type Snapshot, type SnapshotTools } from './take-snapshot.ts';

interface ServeSnapshotsOptions extends SnapshotTools {
  readonly bus: Pick<Bus, 'serve'>;
  readonly vault: Pick<SecretVault, 'hmacs'>;
  readonly storages: Pick<Storages, 'all'>;
  readonly offer: DataServer['offer'];
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** Trees that are sent at once: reading them takes the disk from calls. */
const snapshotsMax = 4;
/** A tree is removed after it was sent, while the same backup asks for the next one. */
const permitWait = { queueMax: 16, timeoutMs: 3_000 } as const;
/** Time after which a byte shows that the work goes on. */
const pulseMs = 10_000;

/** Decodes a request to this storage; throws UnavailableError for one that is not signed, malformed, old or for another. */
export function decodeSnapshotRequest(
  vault: Pick<SecretVault, 'hmacs'>,
  storage: string,
  message: Uint8Array,
  now = Date.now(),
): SnapshotRequest {
  const parse = (sent: unknown) => v.parse(SnapshotRequest, sent);
  return decodeStorageRequest({ vault, purpose: 'bus snapshot', parse }, storage, message, now);
}

/** Sends what is known of the tree in one line, before which there may be spaces, then the tree; or the error. */
async function* answerOf(taking: Promise<Snapshot>): AsyncGenerator<Uint8Array> {
  const outcome = taking.then(
    (snapshot) => ({ snapshot }),
    (error: unknown) => ({ error }),
  );
  for (;;) {
    const ended = await withTimeout(outcome, pulseMs, () => null);
    if (!ended) {
      yield Buffer.from(' ');
      continue;
    }
    if ('error' in ended) {
      yield Buffer.concat([Buffer.from('-'), encodeError(toRpcError(ended.error)).payload, Buffer.from('\n')]);
      return;
    }
    const { head, path, isTransient } = ended.snapshot;
    yield Buffer.from(`+${JSON.stringify(head)}\n`);
    yield* streamTree({ path, isTransient, changedSinceMs: null, again: new Set(), linkSources: [] });
    return;
  }
}

/** Answers requests of backups for the trees of repositories, each by a transfer over the data port. */
export function serveSnapshots(options: ServeSnapshotsOptions): { drain(): Promise<void> } {
  const { vault, offer, logger } = options;
  const busy = () => new BusyError({ quota: 'copies' });
  const permits = new Semaphore({ limit: snapshotsMax, queueMax: permitWait.queueMax, refuse: busy });

  const offerFor = async (served: ServedStorage, { id, repositoryId }: SnapshotRequest) => {
    await permits.acquire({ timeoutMs: permitWait.timeoutMs });
    let taking: Promise<Snapshot> | undefined;
    const ended = async () => {
      try {
        const snapshot = await taking;
        await snapshot?.remove();
      } catch (error) {
        logger.warn({ err: error, repositoryId, storage: served.storage.name }, 'repository was not backed up');
      } finally {
        permits.release();
      }
    };
    try {
      return offer(
        id,
        async ({ signal }) => {
          taking = takeSnapshot(options, served, repositoryId, signal);
          return { body: answerOf(taking) };
        },
        { ended: () => void ended() },
      );
    } catch (error) {
      permits.release();
      throw error;
    }
  };

  return serveStorageRequests(options, {
    subject: subjects.snapshot,
    offer: (served, message) => offerFor(served, decodeSnapshotRequest(vault, served.storage.name, message)),
    refusedText: 'request for a backup refused',
  });
}
