import type { OperationProgress } from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';
import { crashPoint } from '../../crash-points.ts';
import type { ClaimedOperation, ReportProgress } from './claimed-operation.ts';
import type { HeldAttempt, HeldOperation } from './lease-store.ts';

/** Reason with which the signal of a running operation fires when its lease may be lost. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

export class OperationCancelledError extends Error {
  override readonly name = 'OperationCancelledError';
}

export interface Lease {
  /** Fires when the lease may be lost, or when the operation was cancelled, in which case the lease is still held. */
  readonly signal: AbortSignal;
  /** Keeps the progress in memory; the next heartbeat writes it. */
  readonly report: ReportProgress;
  release(): void;
}

export interface LeaseKeeper {
  /** Keeps an operation's lease until `release` is called. */
  hold(operation: Pick<ClaimedOperation, 'id' | 'attempt' | 'claimedAt'>): Lease;
  /** Sends a heartbeat now, which also reads cancellations. */
  heartbeat(): void;
  /** Releases every lease at once and fires the signals of the operations. */
  stop(): Promise<void>;
}

interface Held {
  readonly attempt: number;
  readonly controller: AbortController;
  /** Moment of the claim or of the last heartbeat that succeeded, by `performance.now()`. */
  since: number;
  progress: OperationProgress | null;
}

const progressEveryMs = 2_000;

/**
 * Sends heartbeats on a connection of its own. When heartbeats are overdue by this process's own clock, another worker
 * may soon take the operation over: the work is stopped before that.
 */
export function startLeaseKeeper(options: {
  /** Extends the leases in the database; returns the operations that this worker still holds. */
  extendLeases: (held: readonly HeldAttempt[]) => Promise<readonly HeldOperation[]>;
  releaseLeases: (operationIds: readonly string[]) => Promise<void>;
  leaseSeconds: number;
  logger: Logger;
  /** Announces to the other workers that operations are free to be claimed. */
  announceRelease: () => void;
}): LeaseKeeper {
  const { leaseSeconds, logger } = options;
  const held = new Map<string, Held>();
  const lostAfterMs = leaseSeconds * 1000 * 0.8;

  let stopped = false;
  let heartbeatAt = 0;

  const lose = (id: string) => {
    held.get(id)?.controller.abort(new LeaseLostError(`lease of operation ${id}`));
    held.delete(id);
    logger.warn({ operationId: id }, 'lease lost');
  };

  const extend = async () => {
    const extended = [...held].map(([id, entry]) => ({ id, entry }));
    if (extended.length === 0) return;
    heartbeatAt = performance.now();
    const since = heartbeatAt;
    const attempts = extended.map(({ id, entry: { attempt, progress } }) => ({ id, attempt, progress }));
    const kept = new Map((await options.extendLeases(attempts)).map((one) => [one.id, one]));
    for (const { id, entry } of extended) {
      const row = kept.get(id);
      if (held.get(id) !== entry) continue;
      if (!row) lose(id);
      else if (row.extended) entry.since = since;
      if (row?.cancelRequested) entry.controller.abort(new OperationCancelledError(`operation ${id}`));
    }
  };

  let heartbeatInFlight: Promise<void> | undefined;
  const heartbeat = () => {
    heartbeatInFlight ??= extend()
      .catch((error: unknown) => logger.warn({ err: error }, 'lease heartbeat failed'))
      .finally(() => (heartbeatInFlight = undefined));
    return heartbeatInFlight;
  };
  const timer = setInterval(
    () => {
      for (const [id, { since }] of held) if (performance.now() - since > lostAfterMs) lose(id);
      void heartbeat();
    },
    (leaseSeconds * 1000) / 6,
  );

  const handOver = async (ids: readonly string[]) => {
    try {
      crashPoint('handover.begun');
      await options.releaseLeases(ids);
      crashPoint('handover.released');
      options.announceRelease();
    } catch (error) {
      logger.warn({ err: error }, 'leases could not be handed over, they will run out');
    }
  };

  return {
    heartbeat() {
      // A heartbeat in flight may have read the rows before the cancellation, so another one follows.
      void Promise.resolve(heartbeatInFlight).then(heartbeat);
    },
    hold({ id: operationId, attempt, claimedAt }) {
      const controller = new AbortController();
      const entry: Held = { attempt, controller, since: claimedAt, progress: null };
      held.set(operationId, entry);
      // Another worker takes over at once what begins after the stop.
      if (stopped) {
        lose(operationId);
        void handOver([operationId]);
      }
      return {
        signal: entry.controller.signal,
        report(progress) {
          entry.progress = progress;
          if (held.get(operationId) === entry && performance.now() - heartbeatAt >= progressEveryMs) void heartbeat();
        },
        release() {
          // An attempt that lost its lease may end after this worker has begun the next attempt.
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
      await handOver(ids);
    },
  };
}
