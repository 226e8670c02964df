import { createLogger } from '@trunkline/runtime';
import { drizzle } from 'drizzle-orm/postgres-js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { extendLeases, releaseLeases } from './journal-store.ts';
import { OperationCancelledError, startLeaseKeeper, type LeaseKeeper } from './lease-keeper.ts';

vi.mock('./journal-store.ts');

let leases: LeaseKeeper;
const announceRelease = vi.fn<() => void>();

beforeEach(() => {
  vi.useFakeTimers();
  vi.mocked(extendLeases).mockImplementation(async (_db, ids) => ids.map((id) => ({ id, cancelRequested: false })));
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
    const { signal } = leases.hold('one');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(signal.aborted).toBe(false);
    vi.mocked(extendLeases).mockRejectedValue(new Error('database away'));
    await vi.advanceTimersByTimeAsync(29_999);
    expect(signal.aborted).toBe(true);
  });

  it('C7 the late end of an attempt that lost its lease leaves the next one held', async () => {
    const lost = leases.hold('one');
    vi.mocked(extendLeases).mockResolvedValueOnce([]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(lost.signal.aborted).toBe(true);
    const next = leases.hold('one');
    lost.release();
    vi.mocked(extendLeases).mockResolvedValue([]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(next.signal.aborted).toBe(true);
  });

  it('gives everything away when it stops, and holds nothing any more', async () => {
    const { signal } = leases.hold('one');
    vi.mocked(releaseLeases).mockRejectedValue(new Error('database away'));
    await leases.stop();
    expect(signal.aborted).toBe(true);
    expect(leases.hold('two').signal.aborted).toBe(true);
    expect(announceRelease).not.toHaveBeenCalled();
  });

  it('tells the others that what it held is free', async () => {
    leases.hold('one');
    await leases.stop();
    expect(announceRelease).toHaveBeenCalledOnce();
  });

  it('stops a cancelled operation at once, and keeps its lease until it is undone', async () => {
    const { signal } = leases.hold('one');
    const asked = vi.mocked(extendLeases).mockResolvedValue([{ id: 'one', cancelRequested: true }]);
    leases.beat();
    await vi.advanceTimersByTimeAsync(0);
    expect(signal.reason).toBeInstanceOf(OperationCancelledError);
    asked.mockClear();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(asked.mock.calls[0]?.[1]).toEqual(['one']);
  });
});
