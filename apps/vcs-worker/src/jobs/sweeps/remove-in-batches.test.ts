import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Batch, batchRows, removedWithTimes, removeInBatches } from './remove-in-batches.ts';

const noPause = async () => {};
afterEach(() => void vi.restoreAllMocks());

/** A table with one row a millisecond. */
function makeTable(rows: number) {
  const times = Array.from({ length: rows }, (_, ms) => new Date(ms));
  const batches: Batch<Date>[] = [];
  const remove = async (batch: Batch<Date>) => {
    batches.push(batch);
    return removedWithTimes(times.splice(0, batch.rowsMax));
  };
  return { times, batches, remove };
}

const { signal } = new AbortController();

describe('removeInBatches', () => {
  it('removes until nothing is left, each batch from the newest time of the one before', async () => {
    const { times, batches, remove } = makeTable(2 * batchRows + 3);
    await removeInBatches(remove, signal, noPause);
    expect(times).toEqual([]);
    expect(batches).toEqual([
      { from: null, rowsMax: batchRows },
      { from: new Date(batchRows - 1), rowsMax: batchRows },
      { from: new Date(2 * batchRows - 1), rowsMax: batchRows },
    ]);
  });

  it('pauses nine times as long as a batch took, ten seconds at most, and not after the last one', async () => {
    const moments = [0, 40, 1_000, 6_000, 20_000, 20_001];
    vi.spyOn(performance, 'now').mockImplementation(() => moments.shift() ?? 0);
    const pauses: number[] = [];
    await removeInBatches(makeTable(2 * batchRows + 3).remove, signal, async (ms) => void pauses.push(ms));
    expect(pauses).toEqual([360, 10_000]);
  });

  it('ends at a stop, also in a pause', async () => {
    const { times, remove } = makeTable(3 * batchRows);
    const stopping = new AbortController();
    setImmediate(() => stopping.abort());
    // The first batch seems to have taken so long that the pause is as long as can be.
    const moments = [0, 60_000];
    vi.spyOn(performance, 'now').mockImplementation(() => moments.shift() ?? 0);
    await removeInBatches(remove, stopping.signal);
    expect(times).toHaveLength(2 * batchRows);
  });

  it('fails when a batch fails', async () => {
    const failure = new Error('away');
    await expect(removeInBatches(() => Promise.reject(failure), signal)).rejects.toBe(failure);
  });
});
