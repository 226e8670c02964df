import { BusyError, UnavailableError } from '@trunkline/contracts';
import { expect, it } from 'vitest';
import { createBulkhead, createTransact } from './queries.ts';

it('E12 a query of a frozen database fails in time, and the number of pending queries is bounded', async () => {
  const bulkhead = createBulkhead({ waitingMax: 2, waitMsMax: 1 });
  const thaw: (() => void)[] = [];
  const frozen = () => bulkhead(() => new Promise<void>((resolve) => thaw.push(resolve)));
  await expect(frozen()).rejects.toThrow(UnavailableError);
  await expect(frozen()).rejects.toThrow(UnavailableError);
  await expect(frozen()).rejects.toThrow(BusyError);
  expect(thaw).toHaveLength(2);
  for (const go of thaw) go();
  await new Promise(setImmediate);
  expect(await bulkhead(async () => 'answer')).toBe('answer');
});

it('the failure of a query is rethrown and releases its permit', async () => {
  const bulkhead = createBulkhead({ waitingMax: 1, waitMsMax: 60_000 });
  await expect(bulkhead(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await bulkhead(async () => 'answer')).toBe('answer');
});

it('E6 transactions of one user run one after the other, and those of many leave a connection free', async () => {
  const open: (() => void)[] = [];
  const transaction = () => new Promise<never>((resolve) => open.push(() => resolve(undefined as never)));
  const transact = createTransact({ transaction }, 3, { waitingMax: 100, waitMsMax: 60_000 });
  const own = Array.from({ length: 65 }, () => transact(1, async () => {}));
  // One runs and 64 wait.
  await expect(transact(1, async () => {})).rejects.toThrow(BusyError);
  expect(open).toHaveLength(1);
  const others = [transact(2, async () => {}), transact(3, async () => {})];
  expect(open).toHaveLength(2);
  // In all a hundred are pending at most.
  const more = Array.from({ length: 33 }, (_, index) => transact(index + 4, async () => {}));
  await expect(transact(50, async () => {})).rejects.toThrow(BusyError);
  while (open.length > 0) {
    open.shift()?.();
    await new Promise(setImmediate);
  }
  await Promise.all([...own, ...others, ...more]);
});

it('E12 a transaction that waits too long for another of its user is told that the service is unavailable', async () => {
  const transaction = () => new Promise<never>(() => {});
  const transact = createTransact({ transaction }, 3, { waitingMax: 100, waitMsMax: 1 });
  const both = [transact(1, async () => {}), transact(1, async () => {})];
  const outcomes = await Promise.allSettled(both);
  expect(outcomes.map((one) => one.status === 'rejected' && one.reason instanceof UnavailableError)).toEqual([
    true,
    true,
  ]);
});
