import { expect, it } from 'vitest';
import { ChangedUsers } from './changed-users.ts';

it('a change makes stale what was read of that user before, and of nobody else', () => {
  const changed = new ChangedUsers();
  const before = changed.epoch;
  changed.add(1);
  expect(changed.isStale(1, before)).toBe(true);
  expect(changed.isStale(2, before)).toBe(false);
  expect(changed.isStale(null, before)).toBe(false);
  expect(changed.isStale(1, changed.epoch)).toBe(false);
});

it('a change of any user makes everything stale', () => {
  const changed = new ChangedUsers();
  changed.add(1);
  const before = changed.epoch;
  changed.add(null);
  expect([1, 2, null].map((userId) => changed.isStale(userId, before))).toEqual([true, true, true]);
});

it('A5 remembers so many users, and takes what was read before an older change for stale', () => {
  const changed = new ChangedUsers();
  const before = changed.epoch;
  changed.add(0);
  const after = changed.epoch;
  for (let userId = 1; userId <= 10_000; userId += 1) changed.add(userId);
  expect(changed.isStale(0, before)).toBe(true);
  expect(changed.isStale(20_000, before)).toBe(true);
  expect(changed.isStale(0, after)).toBe(false);
});
