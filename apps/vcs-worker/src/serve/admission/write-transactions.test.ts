import { BusyError, UnavailableError } from '@trunkline/contracts';
import type { Database, Transaction } from '@trunkline/db';
import { beforeEach, expect, it, vi } from 'vitest';
import { createLaneSlots, type LaneSlots } from './lane-slots.ts';
import { WriteTransactions, type WritingCall } from './write-transactions.ts';

const connections = 6;
const transaction = {} as Transaction;
const pool = {} as Database;

function lockTimeout(relation = 'repositories'): Error {
  return Object.assign(new Error('canceling statement due to lock timeout'), {
    code: '55P03',
    where: `while locking tuple (0,1) in relation "${relation}"`,
  });
}

let open: number;
let mostOpen: number;
let slots: LaneSlots;
let stopping: AbortController;
let transactions: WriteTransactions;

beforeEach(() => {
  open = mostOpen = 0;
  slots = createLaneSlots(64);
  stopping = new AbortController();
  transactions = new WriteTransactions({
    async transact(act) {
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      try {
        return await act(transaction);
      } finally {
        open -= 1;
      }
    },
    pool,
    connections,
    stopping: stopping.signal,
  });
});

function callOn(key: string, callerId = 1, msLeft = () => 60_000): WritingCall {
  const slot = slots.tryTake(String(callerId));
  if (!slot) throw new Error('no slot is free');
  return { key, callerId, slot, msLeft };
}

const until = (holds: () => boolean) => vi.waitFor(() => expect(holds()).toBe(true), { timeout: 20_000, interval: 5 });

/** A row that is locked until `free` is called; counts the transactions that asked for it. */
function lockedRow(relation?: string) {
  const row = { asked: 0, locked: true, askedBy: [] as string[] };
  const take = async (name: string) => {
    row.asked += 1;
    row.askedBy.push(name);
    // The wait of the database for the lock.
    await new Promise((resolve) => setImmediate(resolve));
    if (row.locked) throw lockTimeout(relation);
    return name;
  };
  return { row, take };
}

it('E6 calls that find a row locked hold neither slot nor connection, and run in the order in which they came', async () => {
  const { row, take } = lockedRow();
  const names = Array.from({ length: 20 }, (_, index) => `call ${index}`);
  const order: string[] = [];
  const calls = names.map((name) =>
    transactions.transact(callOn('repoid hot'), () => take(name)).then((done) => order.push(done)),
  );
  await until(() => row.asked > 4);
  await until(() => slots.held === 0 && open === 0);
  // Two calls asked at first; since then the first one asks for all.
  expect(new Set(row.askedBy)).toEqual(new Set(['call 0', 'call 1']));
  expect(row.askedBy.slice(2)).not.toContain('call 1');
  expect(mostOpen).toBeLessThanOrEqual(2);
  row.locked = false;
  await Promise.all(calls);
  // The second call asked, and so joined the queue, beside the first one.
  expect(order.filter((name) => name !== 'call 1')).toEqual(names.filter((name) => name !== 'call 1'));
  expect(order).toHaveLength(names.length);
});

it('E6 other objects are written while rows of many are locked', async () => {
  const { row, take } = lockedRow();
  const waiting = Array.from({ length: 40 }, (_, index) =>
    transactions.transact(callOn(`repoid ${index}`, index), () => take('locked')),
  );
  await until(() => row.asked > 60);
  expect(await transactions.transact(callOn('repoid free', 50), async () => 'written')).toBe('written');
  expect(mostOpen).toBeLessThanOrEqual(connections);
  mostOpen = 0;
  const asked = row.asked;
  await until(() => row.asked > asked + 20);
  // Repeated attempts use a third of the connections.
  expect(mostOpen).toBeLessThanOrEqual(connections / 3);
  row.locked = false;
  await Promise.all(waiting);
});

it('E6 calls on rows for which others have just waited in vain leave connections to others', async () => {
  const { row, take } = lockedRow();
  const inVain = async (index: number) => {
    const end = performance.now() + 300;
    const call = callOn(`repoid ${index}`, index, () => Math.max(0, end - performance.now()));
    await expect(transactions.transact(call, () => take('locked'))).rejects.toThrow(UnavailableError);
  };
  const allInVain = () => Promise.all(Array.from({ length: 12 }, (_, index) => inVain(index)));
  await allInVain();
  expect(mostOpen).toBe(connections);
  mostOpen = 0;
  await allInVain();
  expect(mostOpen).toBeLessThanOrEqual(connections / 3);
  row.locked = false;
  expect(await transactions.transact(callOn('repoid 0'), () => take('written'))).toBe('written');
});

it('one caller leaves connections to others', async () => {
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const own = Array.from({ length: 12 }, (_, index) =>
    transactions.transact(callOn(`repoid ${index}`, 7), () => ended),
  );
  await until(() => open === connections - 2);
  expect(await transactions.transact(callOn('repoid other', 8), async () => 'written')).toBe('written');
  end();
  await Promise.all(own);
});

it('a locked row of another table does not delay other calls on the same object', async () => {
  const { row, take } = lockedRow('users');
  const waiting = [1, 2, 3].map((callerId) =>
    transactions.transact(callOn('repoid shared', callerId), () => take('locked')),
  );
  await until(() => row.asked > 4);
  expect(await transactions.transact(callOn('repoid shared', 4), async () => 'written')).toBe('written');
  row.locked = false;
  await Promise.all(waiting);
});

it('calls whose time is up before the row is free are answered that the service is unavailable', async () => {
  const { row, take } = lockedRow();
  let msLeft = 60_000;
  const asking = transactions.transact(
    callOn('repoid hot', 1, () => msLeft),
    () => take('asking'),
  );
  await until(() => row.asked > 2);
  const behind = transactions.transact(
    callOn('repoid hot', 2, () => 20),
    () => take('behind'),
  );
  await expect(behind).rejects.toThrow(UnavailableError);
  msLeft = 0;
  await expect(asking).rejects.toThrow(UnavailableError);
  expect(row.askedBy).not.toContain('behind');
});

it('E8 calls that wait are refused as busy when the worker stops; an operation still ends', async () => {
  const { row, take } = lockedRow();
  const calls = [1, 2, 3].map((callerId) =>
    transactions.transact(callOn('repoid hot', callerId), () => take('waiting')),
  );
  const end = transactions.runWithoutCall(() => take('end'));
  await until(() => row.asked > 6);
  stopping.abort();
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes.map((one) => one.status === 'rejected' && one.reason instanceof BusyError)).toEqual([
    true,
    true,
    true,
  ]);
  row.locked = false;
  expect(await end).toBe('end');
});

it('a single statement runs on a connection of its own, and again while a row is locked', async () => {
  const { row, take } = lockedRow();
  const end = transactions.runStatementWithoutCall(async (db) => {
    expect(db).toBe(pool);
    return take('end');
  });
  await until(() => row.asked > 1);
  row.locked = false;
  expect(await end).toBe('end');
  expect(transactions.figures).toEqual({ running: 0, waiting: 0 });
  await expect(transactions.runStatementWithoutCall(() => Promise.reject(new Error('fenced')))).rejects.toThrow(
    'fenced',
  );
});

it('other errors end the call at once, and give everything back', async () => {
  await expect(transactions.transact(callOn('repoid one'), () => Promise.reject(new Error('refused')))).rejects.toThrow(
    'refused',
  );
  await expect(transactions.runWithoutCall(() => Promise.reject(new Error('fenced')))).rejects.toThrow('fenced');
  expect(open).toBe(0);
  expect(await transactions.transact(callOn('repoid one'), async () => 'next')).toBe('next');
});
