import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { OpenTickets } from './open-tickets.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp(ticketsMax = 10) {
  const expired: string[] = [];
  return { expired, tickets: new OpenTickets<string>({ ticketsMax, lifeMs: 100 }, (held) => expired.push(held)) };
}

it('lets each ticket expire after its time, with one timer for all', () => {
  const { tickets, expired } = setUp();
  tickets.add('a', 'one');
  vi.advanceTimersByTime(60);
  tickets.add('b', 'two');
  tickets.add('c', 'three');
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(40);
  expect([expired, tickets.find('a'), tickets.find('b')]).toEqual([['one'], undefined, 'two']);
  tickets.remove('b');
  vi.advanceTimersByTime(60);
  expect([expired, tickets.size, vi.getTimerCount()]).toEqual([['one', 'three'], 0, 0]);
});

it('F1 refuses a ticket whose time has passed although its timer is late', () => {
  const { tickets } = setUp();
  tickets.add('a', 'one');
  const now = performance.now();
  vi.spyOn(performance, 'now').mockReturnValue(now + 101);
  expect(tickets.find('a')).toBeUndefined();
  vi.restoreAllMocks();
});

it('lets a ticket expire at once when its holder does not want it any more', () => {
  const { tickets, expired } = setUp();
  for (const ticket of ['a', 'b']) tickets.add(ticket, ticket);
  tickets.remove('b');
  for (const ticket of ['a', 'a', 'b']) tickets.expire(ticket);
  expect([expired, tickets.size, tickets.find('a')]).toEqual([['a'], 0, undefined]);
});

it('holds a bounded number, and lets all expire when it is cleared', () => {
  const { tickets, expired } = setUp(2);
  expect(['a', 'b', 'c'].map((ticket) => tickets.add(ticket, ticket))).toEqual([true, true, false]);
  tickets.clear();
  expect([expired, tickets.size, vi.getTimerCount()]).toEqual([['a', 'b'], 0, 0]);
  expect(tickets.add('d', 'd')).toBe(true);
});
