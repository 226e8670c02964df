import { BusyError, UnavailableError } from '@trunkline/contracts';
import { describe, expect, it, vi } from 'vitest';
import { createBulkhead } from '../queries.ts';
import { createLookUp, type StoredCaller } from './caller-store.ts';

const limits = { waitingMax: 2, waitMsMax: 60_000 };
const hmac = (name: string) => [Buffer.from(name.padEnd(32))] as const;

function setUp(options = limits) {
  const answers: ((found: StoredCaller | undefined) => void)[] = [];
  const find = vi.fn(() => new Promise<StoredCaller | undefined>((resolve) => void answers.push(resolve)));
  return { find, answers, lookUp: createLookUp(find, createBulkhead(options)) };
}

describe('createLookUp', () => {
  it('reads a key once for all concurrent callers', async () => {
    const { find, answers, lookUp } = setUp();
    const waiting = [lookUp.find(hmac('a')), lookUp.find(hmac('a')), lookUp.find(hmac('b'))];
    for (const answer of answers) answer(undefined);
    await Promise.all(waiting);
    expect(find).toHaveBeenCalledTimes(2);
    const again = lookUp.find(hmac('a'));
    answers.at(-1)?.(undefined);
    await again;
    expect(find).toHaveBeenCalledTimes(3);
  });

  it('B5 queries again for a look-up after the event of a change', async () => {
    const { find, answers, lookUp } = setUp();
    const before = lookUp.find(hmac('a'));
    lookUp.forget();
    const after = lookUp.find(hmac('a'));
    for (const answer of answers) answer(undefined);
    await Promise.all([before, after]);
    expect(find).toHaveBeenCalledTimes(2);
  });

  it('throws BusyError when too many queries are pending', async () => {
    const { answers, lookUp } = setUp();
    const waiting = [lookUp.find(hmac('a')), lookUp.find(hmac('b'))];
    await expect(lookUp.find(hmac('c'))).rejects.toThrow(BusyError);
    for (const answer of answers) answer(undefined);
    await Promise.all(waiting);
    const next = lookUp.find(hmac('c'));
    answers.at(-1)?.(undefined);
    await expect(next).resolves.toBeUndefined();
  });

  it('throws UnavailableError when the database does not answer', async () => {
    const { lookUp } = setUp({ waitingMax: 1, waitMsMax: 1 });
    await expect(lookUp.find(hmac('a'))).rejects.toThrow(UnavailableError);
  });

  it('rethrows the failure of a query, and queries again for the next look-up', async () => {
    const find = vi.fn().mockRejectedValueOnce(new UnavailableError()).mockResolvedValueOnce(undefined);
    const lookUp = createLookUp(find, createBulkhead(limits));
    await expect(lookUp.find(hmac('a'))).rejects.toThrow(UnavailableError);
    await expect(lookUp.find(hmac('a'))).resolves.toBeUndefined();
  });
});
