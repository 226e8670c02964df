import { createSecretVault } from '@trunkline/db';
import { assert, describe, expect, it } from 'vitest';
import type { StoredSession } from './session-store.ts';
import { createSessions, csrfMatches, makeSessionToken } from './sessions.ts';

const vault = createSecretVault('x'.repeat(32));
const dayMs = 86_400_000;
const tokenOf = (userId: number, days = 0) => makeSessionToken({ userId, signedInAt: Date.now() - days * dayMs });
const token = tokenOf(3);
const other = tokenOf(3);

function setUp(row: Partial<StoredSession> | null = {}, ofVault = vault) {
  const ann = { sessionId: 5, userId: 3, username: 'ann', admin: false, usable: true, needsTouch: false };
  const state = { finds: 0, touched: [] as number[] };
  const sessions = createSessions({
    vault: ofVault,
    store: {
      async find() {
        state.finds += 1;
        return row ? { hmac: vault.hmac('session lookup', token), ...ann, ...row } : undefined;
      },
      touch: (sessionId) => void state.touched.push(sessionId),
      end: async () => {},
      endAllOf: async () => {},
    },
  });
  return { state, sessions };
}

describe('findSession', () => {
  it('returns the user who has signed in', async () => {
    const { sessions } = setUp();
    expect(await sessions.findSession(token)).toMatchObject({ sessionId: 5, userId: 3, username: 'ann', admin: false });
  });

  it.each(['', 'a'.repeat(42), 'a'.repeat(44), `${'a'.repeat(42)}=`, `${'a'.repeat(43)}\n`, '\0'.repeat(43)])(
    'B4 refuses the malformed token %j without a query',
    async (malformed) => {
      const { state, sessions } = setUp();
      expect(await sessions.findSession(malformed)).toBeNull();
      expect(state.finds).toBe(0);
    },
  );

  it('B3 refuses an unknown token, and a row with another HMAC', async () => {
    expect(await setUp(null).sessions.findSession(token)).toBeNull();
    expect(await setUp().sessions.findSession(other)).toBeNull();
  });

  it('E16 refuses a row of another user than the token’s, and a token of a sign-in that is too old', async () => {
    const find = (one: string) => setUp({ hmac: vault.hmac('session lookup', one) }).sessions.findSession(one);
    expect(await find(tokenOf(3, 13.9))).toMatchObject({ userId: 3 });
    expect(await find(tokenOf(3, 14.1))).toBeNull();
    expect(await find(tokenOf(4))).toBeNull();
    expect(await find('a'.repeat(43))).toBeNull();
  });

  it('B5 refuses a session that has ended, or whose user is inactive', async () => {
    const { state, sessions } = setUp({ usable: false, needsTouch: true });
    expect(await sessions.findSession(token)).toBeNull();
    expect(state.touched).toEqual([]);
  });

  it('records the use of a session only when the last record is stale', async () => {
    const now = setUp({ needsTouch: false });
    await now.sessions.findSession(token);
    expect(now.state.touched).toEqual([]);
    const later = setUp({ needsTouch: true });
    await later.sessions.findSession(token);
    expect(later.state.touched).toEqual([5]);
  });
});

describe('csrfMatches', () => {
  it('accepts the CSRF tokens of this session alone', async () => {
    const session = await setUp().sessions.findSession(token);
    const foreign = await setUp({ hmac: vault.hmac('session lookup', other) }).sessions.findSession(other);
    assert(session && foreign);
    expect(csrfMatches(session, session.csrfToken)).toBe(true);
    const rotated = await setUp({}, createSecretVault('y'.repeat(32), ['x'.repeat(32)])).sessions.findSession(token);
    assert(rotated);
    expect(csrfMatches(rotated, session.csrfToken)).toBe(true);
    expect(csrfMatches(session, rotated.csrfToken)).toBe(false);
    const wrong = [
      foreign.csrfToken,
      token,
      '',
      `${session.csrfToken} `,
      session.csrfToken.slice(1),
      null,
      undefined,
      7,
    ];
    for (const sent of wrong) expect(csrfMatches(session, sent)).toBe(false);
  });
});
