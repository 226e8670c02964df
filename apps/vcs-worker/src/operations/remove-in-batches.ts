import { setTimeout as wait } from 'node:timers/promises';

/** Rows that one statement removes: few enough that it holds their locks for a fraction of a second. */
export const batchRows = 5_000;
/** A batch is followed by a pause of this many times its duration, so that calls have most of the database's time. */
const pauseFactor = 3;
const pauseMsMax = 10_000;

/** What one statement is to remove: the oldest rows first, none from before `from`. */
export interface Batch {
  readonly from: Date | null;
  readonly rowsMax: number;
}

/** Removes old rows in one statement, and returns the time of each. */
export type RemoveBatch = (batch: Batch) => Promise<readonly Date[]>;

function latest(times: readonly Date[]): Date {
  return new Date(times.reduce((max, time) => Math.max(max, time.getTime()), -Infinity));
}

/** Removes old rows in batches until none is left or the signal fires. */
export async function removeInBatches(remove: RemoveBatch, signal: AbortSignal): Promise<void> {
  let from: Date | null = null;
  while (!signal.aborted) {
    const began = performance.now();
    const times = await remove({ from, rowsMax: batchRows });
    if (times.length < batchRows) return;
    // Statements would otherwise read past the removed rows that Postgres has not cleared away yet.
    from = latest(times);
    const pauseMs = Math.min(pauseFactor * (performance.now() - began), pauseMsMax);
    await wait(pauseMs, undefined, { signal }).catch(() => {});
  }
}
