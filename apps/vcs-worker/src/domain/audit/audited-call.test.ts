import { methods } from '@trunkline/contracts';
import { describe, expect, it } from 'vitest';
import { argsBytesMax, auditedCall, boundArgs, boundError, errorBytesMax } from './audited-call.ts';

const bytesOf = (args: object) => Buffer.byteLength(JSON.stringify(args));

describe('boundArgs', () => {
  it.each(['y', '\u{1f600}', '语', '\u0001'])('fits long arguments of every method: %j', (character) => {
    for (const { name, args } of Object.values(methods)) {
      const sent = Object.fromEntries(Object.keys(args).map((arg) => [arg, character.repeat(10_000)]));
      const bounded = boundArgs(sent);
      expect(bytesOf(bounded), name).toBeLessThanOrEqual(argsBytesMax);
      expect(Object.keys(bounded)).toEqual(Object.keys(sent));
      for (const value of Object.values(bounded)) expect(value).toMatch(/^.+…$/su);
    }
  });

  it('cuts the longest first, so that names stay whole', () => {
    const repoid = 'n'.repeat(255);
    const bounded = boundArgs({ repoid, description: 'd'.repeat(9_000), clone_uri: 'c'.repeat(900), private: true });
    expect(bounded).toEqual({
      repoid,
      description: `${'d'.repeat(500)}…`,
      clone_uri: `${'c'.repeat(500)}…`,
      private: true,
    });
  });

  it('leaves arguments that fit as they are', () => {
    const args = { repoid: 7, description: 'd'.repeat(1_000), private: null };
    expect(boundArgs(args)).toEqual(args);
  });
});

describe('boundError', () => {
  it('leaves a text that fits as it is', () => {
    const text = 'y'.repeat(errorBytesMax);
    expect(boundError(text)).toBe(text);
  });

  it.each([
    ['y', errorBytesMax - 3],
    ['語', Math.floor((errorBytesMax - 3) / 3)],
    ['\u{1f600}', Math.floor((errorBytesMax - 3) / 4)],
  ])('cuts a longer text of %s between two characters', (character, whole) => {
    expect(boundError(character.repeat(errorBytesMax + 1))).toBe(`${character.repeat(whole)}…`);
  });
});

const request = (args: unknown) => ({
  method: 'any',
  args,
  caller: { userId: 7, ip: '192.0.2.1', credential: { kind: 'key', id: 8 } as const },
  requestId: '00000000-0000-4000-8000-000000000000',
  timeoutMs: 1,
  sentAt: 0,
});

describe('auditedCall', () => {
  it('B14 masks a password', () => {
    const { args } = auditedCall(methods.update_user, request({ userid: 3, password: 'hunter2', admin: 'yes' }));
    expect(args).toEqual({ userid: 3, password: '*****', admin: 'yes' });
  });

  it('D10 masks the password in the address of a remote', () => {
    const clone_uri = 'https://ann:hunter2@example.com/x?y#z';
    const { args } = auditedCall(methods.create_repo, request({ repo_name: 'x', clone_uri }));
    expect(args).toEqual({ repo_name: 'x', clone_uri: 'https://ann:*****@example.com/x?y#z' });
  });

  it.each([
    ' https://ann:hunter2@example.com/x',
    'https:/ann:hunter2@example.com/x',
    'https:ann:hunter2@example.com/x',
    'ann:hunter2@example.com/x',
    'https://ann:hun/ter2@example.com/x',
    'https://ann:hun#ter2@example.com/x',
    '"https://ann:hunter2@example.com/x"',
  ])('D10 masks the whole value when it has a password but is no valid address: %j', (clone_uri) => {
    const { args } = auditedCall(methods.create_repo, request({ clone_uri }));
    expect(args).toEqual({ clone_uri: '*****' });
  });

  it.each(['https://example.com/x', 'ssh://git@example.com/x', 'git@example.com:a/b', 'no address at all'])(
    'records a value without a password as sent: %j',
    (clone_uri) => {
      expect(auditedCall(methods.create_repo, request({ clone_uri })).args).toEqual({ clone_uri });
    },
  );

  it('masks a secret that is not text', () => {
    const { args } = auditedCall(methods.create_repo, request({ clone_uri: ['https://a:b@c'], repo_name: null }));
    expect(args).toEqual({ clone_uri: '*****', repo_name: null });
  });

  it('cuts long values', () => {
    const { args } = auditedCall(methods.create_repo, request({ repo_name: 'x', description: 'y'.repeat(9_000) }));
    expect(args).toEqual({ repo_name: 'x', description: `${'y'.repeat(1_000)}…` });
  });

  it('A7 never cuts a character in two', () => {
    const { args } = auditedCall(methods.create_repo, request({ description: `${'y'.repeat(999)}\u{1f600}z` }));
    expect(args).toEqual({ description: `${'y'.repeat(999)}…` });
  });

  it('leaves out arguments that the method does not know, and records arguments by their own names', () => {
    const { args } = auditedCall(
      methods.add_user_to_user_group,
      request({ usergroupid: 'g', userid: 'u', api_key: 'k', ['__proto__']: 1 }),
    );
    expect(args).toEqual({ usersgroupid: 'g', userid: 'u' });
  });

  it.each([[null], [[1]], ['text'], [7]])('records no arguments for args %j', (args) => {
    expect(auditedCall(methods.update_user, request(args)).args).toEqual({});
  });
});
