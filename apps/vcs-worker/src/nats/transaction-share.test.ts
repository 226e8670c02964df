import { BusyError } from '@trunkline/contracts';
import { expect, it } from 'vitest';
import { createTransactionShare } from './transaction-share.ts';

it('E6 beyond its share a repository is busy, others are not, and a failure gives its place back', async () => {
  const share = createTransactionShare(1);
  let fail = () => {};
  const held = share.run(1, () => new Promise((_resolve, reject) => (fail = () => reject(new Error('over')))));
  await expect(share.run(1, async () => 'more')).rejects.toThrow(BusyError);
  expect(await share.run(2, async () => 'another')).toBe('another');
  expect(await share.run(null, async () => 'none')).toBe('none');
  fail();
  await expect(held).rejects.toThrow('over');
  expect(await share.run(1, async () => 'next')).toBe('next');
});
