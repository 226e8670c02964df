import { setImmediate as turn } from 'node:timers/promises';
import { BusyError } from '@trunkline/contracts';
import { describe, expect, it } from 'vitest';
import { dummyHash } from './hash-kinds.ts';
import { hashPassword, verifyPassword } from './password.ts';

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
    // Two threads need three rounds, and each round a turn of its own.
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  it('B13 are refused as busy when too many wait to be hashed', async () => {
    const failures: unknown[] = [];
    const all = Array.from({ length: 110 }, () =>
      verifyPassword(null, 'any').catch((error: unknown) => failures.push(error)),
    );
    // Those are refused at once; on a busy machine others are given up later.
    await turn();
    expect(failures).toEqual(Array.from({ length: 8 }, () => expect.any(BusyError)));
    await Promise.all(all);
    expect(await verifyPassword(null, 'any')).toBe(false);
  });
});
