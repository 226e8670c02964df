import { createLogger } from '@trunkline/runtime';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OperationCancelledError, startLeaseKeeper, type LeaseKeeper } from './lease-keeper.ts';
import type { extendLeases as extend } from './lease-store.ts';

let leases: LeaseKeeper;
const announceRelease = vi.fn<() => void>();
const extendLeases = vi.fn<(held: Parameters<typeof extend>[1]) => ReturnType<typeof extend>>();
const releaseLeases = vi.fn<(ids: readonly string[]) => Promise<void>>();
const claimed = (id: string, attempt: number) => ({ id, attempt, claimedAt: performance.now() });

beforeEach(() => {
  vi.useFakeTimers();
  extendLeases
    .mockReset()
    .mockImplementation(async (held) => held.map(({ id }) => ({ id, extended: true, cancelRequested: false })));
  releaseLeases.mockReset().mockResolvedValue();
  announceRelease.mockReset();
  leases = startLeaseKeeper({
    extendLeases,
    releaseLeases,
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
  it('stops the work before a lease that cannot be extended runs out', async () => {
    const { signal } = leases.hold(claimed('one', 1));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(signal.aborted).toBe(false);
    extendLeases.mockRejectedValue(new Error('database away'));
    await vi.advanceTimersByTimeAsync(29_999);
    expect(signal.aborted).toBe(true);
  });

  it('keeps a lease whose row is held, and stops the work before that lease runs out', async () => {
    const { signal } = leases.hold(claimed('one', 1));
    extendLeases.mockResolvedValue([{ id: 'one', extended: false, cancelRequested: false }]);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(signal.aborted).toBe(true);
  });

  it('C7 counts the lease from the claim, not from the moment at which the operation is held', async () => {
    extendLeases.mockRejectedValue(new Error('database away'));
    const early = claimed('one', 1);
    await vi.advanceTimersByTimeAsync(20_000);
    const { signal } = leases.hold(early);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(signal.aborted).toBe(true);
  });

  it('C7 the late end of an attempt that lost its lease does not release the next attempt', async () => {
    const lost = leases.hold(claimed('one', 1));
    extendLeases.mockResolvedValueOnce([]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(lost.signal.aborted).toBe(true);
    const next = leases.hold(claimed('one', 1));
    lost.release();
    extendLeases.mockResolvedValue([]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(next.signal.aborted).toBe(true);
  });

  it('releases every lease when it stops, and holds no lease afterwards', async () => {
    const { signal } = leases.hold(claimed('one', 1));
    releaseLeases.mockRejectedValue(new Error('database away'));
    await leases.stop();
    expect(signal.aborted).toBe(true);
    expect(leases.hold(claimed('two', 1)).signal.aborted).toBe(true);
    expect(announceRelease).not.toHaveBeenCalled();
  });

  it('announces the released leases to the other workers when it stops', async () => {
    leases.hold(claimed('one', 1));
    await leases.stop();
    expect(announceRelease).toHaveBeenCalledOnce();
  });

  it('stops a cancelled operation at once, and keeps its lease until it is undone', async () => {
    const { signal } = leases.hold(claimed('one', 1));
    const asked = extendLeases.mockResolvedValue([{ id: 'one', extended: true, cancelRequested: true }]);
    leases.heartbeat();
    await vi.advanceTimersByTimeAsync(0);
    expect(signal.reason).toBeInstanceOf(OperationCancelledError);
    asked.mockClear();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(asked.mock.calls[0]?.[0]).toEqual([{ id: 'one', attempt: 1, progress: null }]);
  });

  it('writes the newest progress of an operation with its heartbeats, and not at every report', async () => {
    const asked = extendLeases;
    const { report } = leases.hold(claimed('one', 2));
    leases.hold(claimed('two', 1));
    for (let done = 0; done <= 10_000; done += 1) {
      report({ phase: 'receiving objects', done, total: 10_000 });
      if (done % 1_000 === 0) await vi.advanceTimersByTimeAsync(100);
    }
    expect(asked.mock.calls.length).toBeLessThan(3);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(asked.mock.lastCall?.[0]).toEqual([
      { id: 'one', attempt: 2, progress: { phase: 'receiving objects', done: 10_000, total: 10_000 } },
      { id: 'two', attempt: 1, progress: null },
    ]);
  });

  it('C7 an attempt that lost its lease reports no progress any more', async () => {
    const lost = leases.hold(claimed('one', 1));
    extendLeases.mockResolvedValueOnce([]);
    await vi.advanceTimersByTimeAsync(5_000);
    leases.hold(claimed('one', 2));
    lost.report({ phase: 'receiving objects', done: 1, total: null });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(extendLeases.mock.lastCall?.[0]).toEqual([{ id: 'one', attempt: 2, progress: null }]);
  });
});
