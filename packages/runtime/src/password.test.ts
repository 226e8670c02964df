import { setImmediate as turn } from 'node:timers/promises';
import { BusyError } from '@trunkline/contracts';
import { describe, expect, it } from 'vitest';
import { hashPassword, dummyHash, verifyPassword } from './password.ts';

const parametersOf = (hash: string) => hash.split('$').slice(1, 4);

describe('passwords', () => {
  it('are verified by their hash, each with a salt of its own', async () => {
    const [one, other] = await Promise.all([hashPassword('grüße'), hashPassword('grüße')]);
    expect(one).not.toBe(other);
    expect(one.startsWith('$argon2id$')).toBe(true);
    expect(await verifyPassword(one, 'grüße')).toBe(true);
    for (const wrong of ['', 'Grüße', 'grüße ', 'gr\u0075\u0308ße'])
      expect(await verifyPassword(one, wrong)).toBe(false);
  });

  it('B3 take the same work to refuse for a user without a password as for a wrong password', async () => {
    expect(parametersOf(dummyHash)).toEqual(parametersOf(await hashPassword('any')));
    expect(await verifyPassword(null, 'any')).toBe(false);
  });

  it('B13 do not block the event loop while they are hashed', async () => {
    const state = { isHashing: true };
    const all = Promise.all(Array.from({ length: 6 }, () => hashPassword('any'))).finally(() => {
      state.isHashing = false;
    });
    let turns = 0;
    for (; state.isHashing; turns += 1) await turn();
    await all;
    expect(turns).toBeGreaterThan(100);
  });

  it('B13 are refused as busy when too many wait to be hashed', async () => {
    const all = await Promise.allSettled(Array.from({ length: 110 }, () => verifyPassword(null, 'any')));
    const failures = all.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(failures).toHaveLength(8);
    for (const failure of failures) expect(failure).toBeInstanceOf(BusyError);
    expect(await verifyPassword(null, 'any')).toBe(false);
  });
});
