import { createLogger } from '@trunkline/runtime';
import { drizzle } from 'drizzle-orm/postgres-js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { extendLeases, releaseLeases } from './operation-store.ts';
import { OperationCancelledError, startLeaseKeeper, type LeaseKeeper } from './lease-keeper.ts';

vi.mock('./operation-store.ts');

let leases: LeaseKeeper;
const announceRelease = vi.fn<() => void>();
const claimed = (id: string, attempt: number) => ({ id, attempt, claimedAt: performance.now() });

beforeEach(() => {
  vi.useFakeTimers();
  vi.mocked(extendLeases).mockImplementation(async (_db, held) =>
    held.map(({ id }) => ({ id, cancelRequested: false })),
  );
  vi.mocked(releaseLeases).mockResolvedValue();
  leases = startLeaseKeeper({
    db: drizzle.mock(),
    worker: 'me',
    leaseSeconds: 30,
    logger: createLogger({ role: 'test', level: 'silent' }),
    announceRelease,
  });
});
afterEach(async () => {
  await leases.stop();
  vi.useRealTimers();
});

describe('startLeaseKeeper', () => {
  it('stops the work before a lease that cannot be extended is over', async () => {
    const { signal } = leases.hold(claimed('one', 1));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(signal.aborted).toBe(false);
    vi.mocked(extendLeases).mockRejectedValue(new Error('database away'));
    await vi.advanceTimersByTimeAsync(29_999);
    expect(signal.aborted).toBe(true);
  });

  it('C7 counts the time from the claim until the operation is held', async () => {
    vi.mocked(extendLeases).mockRejectedValue(new Error('database away'));
    const early = claimed('one', 1);
    await vi.advanceTimersByTimeAsync(20_000);
    const { signal } = leases.hold(early);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(signal.aborted).toBe(true);
  });

  it('C7 the late end of an attempt that lost its lease leaves the next one held', async () => {
    const lost = leases.hold(claimed('one', 1));
    vi.mocked(extendLeases).mockResolvedValueOnce([]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(lost.signal.aborted).toBe(true);
    const next = leases.hold(claimed('one', 1));
    lost.release();
    vi.mocked(extendLeases).mockResolvedValue([]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(next.signal.aborted).toBe(true);
  });

  it('gives everything away when it stops, and holds nothing any more', async () => {
    const { signal } = leases.hold(claimed('one', 1));
    vi.mocked(releaseLeases).mockRejectedValue(new Error('database away'));
    await leases.stop();
    expect(signal.aborted).toBe(true);
    expect(leases.hold(claimed('two', 1)).signal.aborted).toBe(true);
    expect(announceRelease).not.toHaveBeenCalled();
  });

  it('tells the others that what it held is free', async () => {
    leases.hold(claimed('one', 1));
    await leases.stop();
    expect(announceRelease).toHaveBeenCalledOnce();
  });

  it('stops a cancelled operation at once, and keeps its lease until it is undone', async () => {
    const { signal } = leases.hold(claimed('one', 1));
    const asked = vi.mocked(extendLeases).mockResolvedValue([{ id: 'one', cancelRequested: true }]);
    leases.heartbeat();
    await vi.advanceTimersByTimeAsync(0);
    expect(signal.reason).toBeInstanceOf(OperationCancelledError);
    asked.mockClear();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(asked.mock.calls[0]?.[1]).toEqual([{ id: 'one', attempt: 1, progress: null }]);
  });

  it('writes how far an operation is with its heartbeats, the newest only, and not with every word', async () => {
    const asked = vi.mocked(extendLeases);
    const { report } = leases.hold(claimed('one', 2));
    leases.hold(claimed('two', 1));
    for (let done = 0; done <= 10_000; done += 1) {
      report({ phase: 'receiving objects', done, total: 10_000 });
      if (done % 1_000 === 0) await vi.advanceTimersByTimeAsync(100);
    }
    expect(asked.mock.calls.length).toBeLessThan(3);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(asked.mock.lastCall?.[1]).toEqual([
      { id: 'one', attempt: 2, progress: { phase: 'receiving objects', done: 10_000, total: 10_000 } },
      { id: 'two', attempt: 1, progress: null },
    ]);
  });

  it('C7 an attempt that lost its lease tells nothing any more', async () => {
    const lost = leases.hold(claimed('one', 1));
    vi.mocked(extendLeases).mockResolvedValueOnce([]);
    await vi.advanceTimersByTimeAsync(5_000);
    leases.hold(claimed('one', 2));
    lost.report({ phase: 'receiving objects', done: 1, total: null });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(vi.mocked(extendLeases).mock.lastCall?.[1]).toEqual([{ id: 'one', attempt: 2, progress: null }]);
  });
});
