import { describe, expect, it, vi } from 'vitest';
import { FetchCounts, type FetchCount } from './fetch-counts.ts';

function setUp(entriesMax = 10) {
  const recorded: (readonly FetchCount[])[] = [];
  const record = vi.fn(async (counts: readonly FetchCount[]) => void recorded.push(counts));
  const warn = vi.fn();
  const counts = new FetchCounts({ record, logger: { warn }, entriesMax });
  const fetch = (userId: number | null, repositoryId = 1) => counts.count({ userId, repositoryId, system: 'git' });
  return { counts, fetch, record, recorded, warn };
}

describe('FetchCounts', () => {
  it('records what one user has fetched from one repository as one count', async () => {
    const { counts, fetch, recorded } = setUp();
    for (const userId of [7, 8, 7]) fetch(userId);
    fetch(7, 2);
    await counts.flush();
    await counts.flush();
    expect(recorded).toEqual([
      [
        { userId: 7, repositoryId: 1, count: 2 },
        { userId: 8, repositoryId: 1, count: 1 },
        { userId: 7, repositoryId: 2, count: 1 },
      ],
    ]);
  });

  it('records a second after the first fetch, and before it is closed', async () => {
    vi.useFakeTimers();
    try {
      const { counts, fetch, recorded } = setUp();
      fetch(7);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(recorded).toHaveLength(1);
      fetch(7);
      await counts.close();
      expect(recorded).toHaveLength(2);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('counts clients without a login for the metric alone', async () => {
    const { counts, fetch, record } = setUp();
    fetch(null);
    fetch(7);
    counts.count({ userId: null, repositoryId: 1, system: 'hg' });
    expect(counts.figures).toEqual({ git: { user: 1, anonymous: 1 }, hg: { user: 0, anonymous: 1 } });
    await counts.flush();
    expect(record).toHaveBeenCalledExactlyOnceWith([{ userId: 7, repositoryId: 1, count: 1 }]);
  });

  it('keeps what could not be recorded, together with what comes meanwhile', async () => {
    const { counts, fetch, record, recorded } = setUp();
    record.mockImplementationOnce(async () => {
      fetch(7);
      throw new Error('away');
    });
    fetch(7);
    await counts.flush();
    await counts.flush();
    expect(recorded).toEqual([[{ userId: 7, repositoryId: 1, count: 2 }]]);
    await counts.close();
  });

  it('A4 has bounded memory: further users are dropped and told of, and known ones are still counted', async () => {
    const { counts, fetch, recorded, warn } = setUp(3);
    for (let userId = 0; userId < 1_000; userId += 1) fetch(userId);
    fetch(0);
    await counts.flush();
    expect(recorded[0]).toEqual([0, 1, 2].map((userId) => ({ userId, repositoryId: 1, count: userId === 0 ? 2 : 1 })));
    expect(warn).toHaveBeenCalledExactlyOnceWith({ dropped: 997 }, expect.any(String));
    fetch(999);
    await counts.flush();
    expect(recorded[1]).toHaveLength(1);
  });
});
