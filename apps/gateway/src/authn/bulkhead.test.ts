import { BusyError, UnavailableError } from '@trunkline/contracts';
import { expect, it } from 'vitest';
import { createBulkhead } from './bulkhead.ts';

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
