import type { Database, OperationProgress } from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';
import { crashPoint } from '../crash-points.ts';
import type { ClaimedOperation, ReportProgress } from './claimed-operation.ts';
import { extendLeases, releaseLeases } from './operation-store.ts';

/** Why a running operation's signal fired. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

export class OperationCancelledError extends Error {
  override readonly name = 'OperationCancelledError';
}

export interface Lease {
  /** Fires when the lease may be lost, or when the operation was cancelled: then the lease is still held. */
  readonly signal: AbortSignal;
  /** Kept in memory and written with the next heartbeat. */
  readonly report: ReportProgress;
  release(): void;
}

export interface LeaseKeeper {
  /** Keeps an operation's lease until released. */
  hold(operation: Pick<ClaimedOperation, 'id' | 'attempt' | 'claimedAt'>): Lease;
  /** Sends a heartbeat now, which also reads cancellations. */
  heartbeat(): void;
  /** Releases every lease at once and fires their signals. */
  stop(): Promise<void>;
}

interface Held {
  readonly attempt: number;
  readonly controller: AbortController;
  since: number;
  progress: OperationProgress | null;
}

const progressEveryMs = 2_000;

/**
 * Sends heartbeats on a connection of its own. After a heartbeat that is late by this process's own clock another
 * worker may hold the operation: the work is stopped before that.
 */
export function startLeaseKeeper(options: {
  db: Database;
  worker: string;
  leaseSeconds: number;
  logger: Logger;
  /** Tells the other workers that operations are free to be claimed. */
  announceRelease: () => void;
}): LeaseKeeper {
  const { db, worker, leaseSeconds, logger } = options;
  const held = new Map<string, Held>();
  const lostAfterMs = leaseSeconds * 1000 * 0.8;

  let stopped = false;
  let beatenAt = 0;

  const lose = (id: string) => {
    held.get(id)?.controller.abort(new LeaseLostError(`lease of operation ${id}`));
    held.delete(id);
    logger.warn({ operationId: id }, 'lease lost');
  };

  const extend = async () => {
    const asked = [...held].map(([id, entry]) => ({ id, entry }));
    if (asked.length === 0) return;
    beatenAt = performance.now();
    const since = beatenAt;
    const attempts = asked.map(({ id, entry: { attempt, progress } }) => ({ id, attempt, progress }));
    const kept = new Map((await extendLeases(db, attempts, worker, leaseSeconds)).map((one) => [one.id, one]));
    for (const { id, entry } of asked) {
      const row = kept.get(id);
      if (held.get(id) !== entry) continue;
      if (!row) lose(id);
      else entry.since = since;
      if (row?.cancelRequested) entry.controller.abort(new OperationCancelledError(`operation ${id}`));
    }
  };

  let beating: Promise<void> | undefined;
  const heartbeat = () => {
    beating ??= extend()
      .catch((error: unknown) => logger.warn({ err: error }, 'lease beat failed'))
      .finally(() => (beating = undefined));
    return beating;
  };
  const timer = setInterval(
    () => {
      for (const [id, { since }] of held) if (performance.now() - since > lostAfterMs) lose(id);
      void heartbeat();
    },
    (leaseSeconds * 1000) / 6,
  );

  const giveAway = async (ids: readonly string[]) => {
    try {
      crashPoint('handover.begun');
      await releaseLeases(db, ids, worker);
      crashPoint('handover.released');
      options.announceRelease();
    } catch (error) {
      logger.warn({ err: error }, 'leases could not be given away, they run out by themselves');
    }
  };

  return {
    heartbeat() {
      // A heartbeat in flight may have read before the cancellation.
      void Promise.resolve(beating).then(heartbeat);
    },
    hold({ id: operationId, attempt, claimedAt }) {
      const controller = new AbortController();
      const entry: Held = { attempt, controller, since: claimedAt, progress: null };
      held.set(operationId, entry);
      if (stopped) {
        lose(operationId);
        void giveAway([operationId]);
      }
      return {
        signal: entry.controller.signal,
        report(progress) {
          entry.progress = progress;
          if (held.get(operationId) === entry && performance.now() - beatenAt >= progressEveryMs) void heartbeat();
        },
        release() {
          // An attempt that lost its lease may end after this worker has begun the next one.
          if (held.get(operationId) === entry) held.delete(operationId);
        },
      };
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      const ids = [...held.keys()];
      for (const id of ids) lose(id);
      if (ids.length === 0) return;
      await giveAway(ids);
    },
  };
}
