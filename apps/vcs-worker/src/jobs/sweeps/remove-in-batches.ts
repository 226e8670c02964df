import { setTimeout as wait } from 'node:timers/promises';

/** Rows that one statement removes: few enough that it holds their locks for a fraction of a second. */
export const batchRows = 2_000;
/** A batch is followed by a pause of this many times its duration, so that calls have most of the database's time. */
const pauseFactor = 9;
const pauseMsMax = 10_000;

/** What one statement is to remove: the oldest rows first, none from before `from`, in the order of the key. */
export interface Batch<Key> {
  readonly from: Key | null;
  readonly rowsMax: number;
}

export interface Removed<Key> {
  readonly rows: number;
  /** Key of the newest of them; null if there are none. */
  readonly last: Key | null;
}

/** Removes old rows in one statement. */
export type RemoveBatch<Key> = (batch: Batch<Key>) => Promise<Removed<Key>>;

/** Describes removed rows whose key is a time. */
export function removedWithTimes(times: readonly Date[]): Removed<Date> {
  const last = times.reduce((max, time) => Math.max(max, time.getTime()), -Infinity);
  return { rows: times.length, last: times.length === 0 ? null : new Date(last) };
}

/** Waits for a time; ends early when the signal fires. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

const pauseUnlessStopped: Pause = (ms, signal) => wait(ms, undefined, { signal }).catch(() => {});

/** Removes old rows in batches until none is left or the signal fires. */
export async function removeInBatches<Key>(
  remove: RemoveBatch<Key>,
  signal: AbortSignal,
  pause: Pause = pauseUnlessStopped,
): Promise<void> {
  let from: Key | null = null;
  while (!signal.aborted) {
    const began = performance.now();
    const removed: Removed<Key> = await remove({ from, rowsMax: batchRows });
    if (removed.rows < batchRows) return;
    // Statements would otherwise read past the removed rows that Postgres has not cleared away yet.
    from = removed.last;
    const pauseMs = Math.min(pauseFactor * (performance.now() - began), pauseMsMax);
    await pause(pauseMs, signal);
  }
}
