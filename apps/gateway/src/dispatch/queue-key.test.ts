import { served } from '@trunkline/contracts';
import { expect, it } from 'vitest';
import { queueKeyOf } from './queue-key.ts';
import { RepositoryHints } from './repository-hints.ts';

const anonymous = (ip: string) => ({ userId: 1, ip, credential: { kind: 'anonymous' } }) as const;
const user = { userId: 2, ip: '192.0.2.1', credential: { kind: 'key', id: 3 } } as const;

const keyOf = (
  repoid: unknown,
  caller: typeof user | ReturnType<typeof anonymous> = user,
  hints = new RepositoryHints(),
) => queueKeyOf({ method: served.view_path, lane: 'storage', args: { repoid }, caller }, hints);

it('E6 calls without credentials wait by their clients, not all in one queue', () => {
  expect(keyOf(5, anonymous('192.0.2.1'))).not.toBe(keyOf(5, anonymous('192.0.2.2')));
  expect(keyOf(5, anonymous('2001:db8::1'))).toBe(keyOf(5, anonymous('2001:db8::2')));
  expect(keyOf(5, anonymous('192.0.2.1'))).not.toBe(keyOf(5, user));
});

it('E6 calls about one repository wait in one queue, whether they send its id or its name', () => {
  const hints = new RepositoryHints();
  expect(keyOf('5')).toBe(keyOf(5));
  expect(keyOf('007')).toBe(keyOf(7));
  expect(keyOf('group/repo', user, hints)).not.toBe(keyOf(5, user, hints));
  hints.note({ id: 5, name: 'group/repo', storage: null });
  expect(keyOf('group/repo', user, hints)).toBe(keyOf(5, user, hints));
});

it('calls that name no repository, and transfers, do not wait here', () => {
  expect([keyOf(null), keyOf({}), keyOf(undefined)]).toEqual([null, null, null]);
  const { pull } = served;
  expect(
    queueKeyOf({ method: pull, lane: 'transfer', args: { repoid: 5 }, caller: user }, new RepositoryHints()),
  ).toBeNull();
});
