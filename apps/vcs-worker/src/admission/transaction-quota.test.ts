import { BusyError } from '@trunkline/contracts';
import { expect, it } from 'vitest';
import { createTransactionQuota } from './transaction-quota.ts';

it('E6 a repository beyond its quota is busy, others are not, and a failed transaction gives its permit back', async () => {
  const quota = createTransactionQuota(1);
  let fail = () => {};
  const held = quota.run(1, () => new Promise((_resolve, reject) => (fail = () => reject(new Error('over')))));
  await expect(quota.run(1, async () => 'more')).rejects.toThrow(BusyError);
  expect(await quota.run(2, async () => 'another')).toBe('another');
  expect(await quota.run(null, async () => 'none')).toBe('none');
  fail();
  await expect(held).rejects.toThrow('over');
  expect(await quota.run(1, async () => 'next')).toBe('next');
});
