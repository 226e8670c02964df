import { createHash } from 'node:crypto';
import { AuthenticationError, UnavailableError } from '@trunkline/contracts';
import { describe, expect, it } from 'vitest';
import { createAuthenticate } from './authenticate.ts';
import { createBulkhead } from '../queries.ts';
import { createCallerCache } from './caller-cache.ts';
import { createLookUp, type StoredCaller } from './caller-store.ts';
import { createLookUpThrottle } from './guess-throttles.ts';

const key = 'a'.repeat(40);
const hmac = (text: string) => createHash('sha256').update(text).digest();
const formerHmac = (text: string) => hmac(`former ${text}`);
const ann: StoredCaller = {
  hmac: hmac(key),
  apiKeyId: 7,
  userId: 3,
  username: 'ann',
  admin: false,
  limitedTo: null,
  usable: true,
  lifeMs: null,
  networks: [],
};
const invalid = new AuthenticationError('Invalid API key');

/** Creates an authentication on a store with one row, `state.row`, which a test may replace. */
function setUp(row: Partial<StoredCaller> | null = {}) {
  const clock = { time: 1, now: () => clock.time, async sleep() {} };
  const state = {
    row: row && { ...ann, ...row },
    hmacs: [] as number[],
    reads: 0,
    fails: false,
    recorded: [] as number[],
  };
  const cache = createCallerCache(clock);
  const find = async (sought: readonly Buffer[]) => {
    state.reads += 1;
    state.hmacs.push(sought.length);
    if (state.fails) throw new UnavailableError();
    const { row: found } = state;
    return sought.some((one) => found?.hmac.equals(one)) ? (found ?? undefined) : undefined;
  };
  const authenticate = createAuthenticate({
    vault: { keyHmacs: (text) => [hmac(text), formerHmac(text)] },
    cache,
    lookUp: createLookUp(find, createBulkhead({ waitingMax: 10, waitMsMax: 60_000 })),
    throttle: createLookUpThrottle(clock),
    recordKeyUse: (apiKeyId) => void state.recorded.push(apiKeyId),
  });
  const call = (sent: unknown = key, ip = '192.0.2.1') => authenticate(sent, ip);
  return { clock, state, cache, call };
}

describe('createAuthenticate', () => {
  it('returns user and key, and caches them', async () => {
    const { state, call } = setUp();
    await expect(call()).resolves.toMatchObject({ userId: 3, username: 'ann', admin: false, apiKeyId: 7 });
    await expect(call()).resolves.toMatchObject({ userId: 3, apiKeyId: 7 });
    expect(state.reads).toBe(1);
  });

  it.each([
    ['too short', 'a'.repeat(19)],
    ['too long', 'a'.repeat(41)],
    ['upper case', 'A'.repeat(40)],
    ['a line end', `${key}\n`],
    ['NUL', `${'a'.repeat(39)}\0`],
    ['empty', ''],
    ['null', null],
    ['a number', 1e39],
    ['a list', [key]],
    ['an object', { toString: () => key }],
  ])('B4 refuses a malformed key without asking the database: %s', async (_, sent) => {
    const { state, call } = setUp();
    await expect(call(sent)).rejects.toThrow(invalid);
    expect(state.reads).toBe(0);
  });

  it('B3 refuses an unknown key, and a row with another HMAC', async () => {
    await expect(setUp().call('b'.repeat(40))).rejects.toThrow(invalid);
    const otherHmac = Object.assign(hmac('other'), { equals: () => true });
    await expect(setUp({ hmac: otherHmac }).call()).rejects.toThrow(invalid);
  });

  it.each([
    ['one that nobody has', {}, 'b'.repeat(40)],
    ['one that differs in its last digit', {}, `${'a'.repeat(39)}b`],
    ['one that has expired, or whose user is inactive', { usable: false }, key],
    ['one that is good', {}, key],
    ['one of a former secret', { hmac: formerHmac(key) }, key],
  ])('B3 does the same work for any key: %s', async (_, row, sent) => {
    const { state, call } = setUp(row);
    await call(sent).catch(() => {});
    expect(state.hmacs).toEqual([2]);
  });

  it('accepts a key that is stored under a former secret, and caches it', async () => {
    const { state, call } = setUp({ hmac: formerHmac(key) });
    await expect(call()).resolves.toMatchObject({ userId: 3 });
    await expect(call()).resolves.toMatchObject({ userId: 3 });
    expect(state.reads).toBe(1);
  });

  it('B4 queries the database once a second for an unknown key, however often it is sent', async () => {
    const { clock, state, call } = setUp(null);
    for (let count = 0; count < 20; count += 1) {
      await expect(call()).rejects.toThrow(invalid);
      clock.time += 100;
    }
    expect(state.reads).toBe(2);
  });

  it('B4 slows down a client that sends an unknown key, although the key is cached as unknown', async () => {
    const { state, call } = setUp(null);
    const seen = await Promise.allSettled(Array.from({ length: 1_000 }, () => call()));
    const texts = seen.map((one) => (one.status === 'rejected' ? String(one.reason.message) : ''));
    expect(texts.filter((text) => text === 'Service is busy, try again later').length).toBeGreaterThan(900);
    expect(state.reads).toBe(1);
  });

  it('B5 accepts a key that was unknown: at once after the event of a change, and a second later without the event', async () => {
    const { state, cache, call } = setUp(null);
    await expect(call()).rejects.toThrow(invalid);
    state.row = ann;
    cache.drop(null);
    await expect(call()).resolves.toMatchObject({ userId: 3 });

    const deaf = setUp(null);
    await expect(deaf.call()).rejects.toThrow(invalid);
    deaf.state.row = ann;
    deaf.clock.time += 1_001;
    await expect(deaf.call()).resolves.toMatchObject({ userId: 3 });
  });

  it('B5 reads a caller again after the change of that user, and after no other', async () => {
    const { state, cache, call } = setUp();
    await call();
    cache.drop(4);
    await call();
    expect(state.reads).toBe(1);
    cache.drop(3);
    await call();
    expect(state.reads).toBe(2);
  });

  it('B5 does not cache a key as unknown that was read before the event of a change', async () => {
    const { state, cache, call } = setUp(null);
    const early = call();
    cache.drop(null);
    await expect(early).rejects.toThrow(invalid);
    state.row = ann;
    await expect(call()).resolves.toMatchObject({ userId: 3 });
  });

  it('B5 reads the database for each refusal of a known key', async () => {
    const { state, call } = setUp({ usable: false });
    await expect(call()).rejects.toThrow(invalid);
    state.row = ann;
    await expect(call()).resolves.toMatchObject({ userId: 3 });
    expect(state.reads).toBe(2);
  });

  it('B5 reads a cached caller again after ten seconds, and at once after the event of a change', async () => {
    const { clock, state, cache, call } = setUp();
    await call();
    state.row = { ...ann, usable: false };
    clock.time += 9_999;
    await expect(call()).resolves.toMatchObject({ userId: 3 });
    clock.time += 2;
    await expect(call()).rejects.toThrow(invalid);

    state.row = ann;
    await call();
    state.row = { ...ann, usable: false };
    cache.drop(null);
    await expect(call()).rejects.toThrow(invalid);
  });

  it('B5 does not cache a caller that was read before the event of a change', async () => {
    const { state, cache, call } = setUp();
    const early = call();
    cache.drop(null);
    await early;
    await call();
    expect(state.reads).toBe(2);
  });

  it('B5 caches a key no longer than it is valid', async () => {
    const { clock, state, call } = setUp({ lifeMs: 500 });
    await call();
    clock.time += 501;
    state.row = { ...ann, usable: false };
    await expect(call()).rejects.toThrow(invalid);
  });

  it.each([
    ['192.0.2.0/24', '192.0.2.255'],
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8::/32', '2001:db8::1'],
  ])('B12 accepts a caller from its network %s', async (network, ip) => {
    await expect(setUp({ networks: [network] }).call(key, ip)).resolves.toMatchObject({ userId: 3 });
  });

  it('B12 refuses another address with an error that has the address, also when the caller is cached', async () => {
    const { state, call } = setUp({ networks: ['192.0.2.0/24'] });
    const refused = new AuthenticationError('request from IP:198.51.100.1 not allowed');
    await expect(call(key, '198.51.100.1')).rejects.toThrow(refused);
    await call(key, '192.0.2.1');
    await expect(call(key, '198.51.100.1')).rejects.toThrow(refused);
    state.row = { ...ann, networks: [] };
    await expect(call(key, '198.51.100.1')).resolves.toMatchObject({ userId: 3 });
  });

  it('records the use of a key that was read and accepted', async () => {
    const { clock, state, call } = setUp();
    await call();
    await call();
    expect(state.recorded).toEqual([7]);
    clock.time += 10_001;
    await call();
    expect(state.recorded).toEqual([7, 7]);
    clock.time += 10_001;
    state.row = { ...ann, usable: false };
    await expect(call()).rejects.toThrow(AuthenticationError);
    state.row = { ...ann, networks: ['198.51.100.0/24'] };
    await expect(call()).rejects.toThrow(AuthenticationError);
    expect(state.recorded).toEqual([7, 7]);
  });

  it('throws UnavailableError, and refuses no key as invalid, while the database is unreachable', async () => {
    const { state, call } = setUp();
    state.fails = true;
    for (let count = 0; count < 100; count += 1) await expect(call()).rejects.toThrow(UnavailableError);
    state.fails = false;
    await expect(call()).resolves.toMatchObject({ userId: 3 });
  });
});
