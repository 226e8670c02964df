import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Semaphore } from './semaphore.ts';
import type { RefusalReason } from './wait-queue.ts';

class Refusal extends Error {}

const refuse = (reason: RefusalReason) => new Refusal(reason);

/** Marks a promise as handled, because its rejection is expected later. */
function caught<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** Runs everything that waits for settled promises or for timers that are due. */
const settle = () => vi.advanceTimersByTimeAsync(0);

type Step =
  | {
      readonly kind: 'acquire';
      readonly key: string | null;
      readonly caller: string | null;
      readonly timeoutMs: number;
    }
  | { readonly kind: 'release'; readonly index: number }
  | { readonly kind: 'wait'; readonly ms: number };

const key = fc.constantFrom('a', 'b', null);
const caller = fc.constantFrom('x', 'y', null);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('acquire' as const), key, caller, timeoutMs: fc.integer({ min: 1, max: 50 }) }),
  fc.record({ kind: fc.constant('release' as const), index: fc.nat(20) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 40 }) }),
);
const limits = fc.record({
  limit: fc.integer({ min: 1, max: 4 }),
  quotaPerKey: fc.integer({ min: 1, max: 4 }),
  quotaPerCaller: fc.integer({ min: 1, max: 5 }),
  quotaPerCallerOfKey: fc.integer({ min: 1, max: 5 }),
  queueMax: fc.nat(4),
  queueMaxPerKey: fc.integer({ min: 1, max: 4 }),
  queueMaxPerCaller: fc.integer({ min: 1, max: 4 }),
});

interface Request {
  readonly key: string | null;
  readonly caller: string | null;
  state: 'waiting' | 'held' | 'over';
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('Semaphore', () => {
  it('keeps its limit, quotas, queue bounds and the order within a key, in any sequence of steps', async () => {
    await fc.assert(
      fc.asyncProperty(limits, fc.array(step, { maxLength: 40 }), async (bounds, steps) => {
        const semaphore = new Semaphore({ ...bounds, refuse });
        const requests: Request[] = [];
        const inState = (state: Request['state']) => requests.filter((request) => request.state === state);
        const act = async (one: Step) => {
          if (one.kind === 'wait') await vi.advanceTimersByTimeAsync(one.ms);
          if (one.kind === 'release') {
            const held = inState('held');
            const request = held[one.index % Math.max(1, held.length)];
            if (request) semaphore.release(request.key, request.caller);
            if (request) request.state = 'over';
          }
          if (one.kind === 'acquire') {
            const request: Request = { key: one.key, caller: one.caller, state: 'waiting' };
            requests.push(request);
            semaphore.acquire(one).then(
              () => (request.state = 'held'),
              () => (request.state = 'over'),
            );
          }
          await settle();
        };
        for (const one of steps) {
          const before = inState('waiting');
          await act(one);
          const [held, waiting] = [inState('held'), inState('waiting')];
          const holders = (of: string) => held.filter((request) => request.key === of).length;
          const heldBy = (of: string) => held.filter((request) => request.caller === of).length;
          expect([semaphore.held, semaphore.waiting]).toEqual([held.length, waiting.length]);
          expect(held.length).toBeLessThanOrEqual(bounds.limit);
          for (const of of ['a', 'b']) expect(holders(of)).toBeLessThanOrEqual(bounds.quotaPerKey);
          for (const of of ['x', 'y']) {
            expect(heldBy(of)).toBeLessThanOrEqual(Math.max(1, Math.min(bounds.quotaPerCaller, bounds.limit - 1)));
            expect(waiting.filter((request) => request.caller === of).length).toBeLessThanOrEqual(
              bounds.queueMaxPerCaller,
            );
          }
          expect(waiting.length).toBeLessThanOrEqual(bounds.queueMax);
          // No permit is free while a request within its quota waits.
          const isWithin = (quota: number, count: number, free: number) => count === 0 || (count < quota && free > 1);
          const eligible = waiting.filter(({ key: of, caller: by }) => {
            if (of !== null && holders(of) >= bounds.quotaPerKey) return false;
            if (by === null) return true;
            const ofBoth = held.filter((request) => request.key === of && request.caller === by).length;
            return (
              isWithin(bounds.quotaPerCaller, heldBy(by), bounds.limit - held.length) &&
              (of === null || isWithin(bounds.quotaPerCallerOfKey, ofBoth, bounds.quotaPerKey - holders(of)))
            );
          });
          expect(held.length < bounds.limit && eligible.length > 0).toBe(false);
          // An admitted request came before all requests of the same key and caller that still wait.
          for (const admitted of before.filter((request) => request.state === 'held')) {
            const passed = waiting.filter(
              (request) => request.key === admitted.key && request.caller === admitted.caller,
            );
            for (const other of passed) expect(requests.indexOf(other)).toBeGreaterThan(requests.indexOf(admitted));
          }
        }
        semaphore.close();
        await settle();
        expect(vi.getTimerCount()).toBe(0);
      }),
    );
  });

  it('refuses with the reason: a full queue, a wait that was too long, a closed semaphore', async () => {
    const semaphore = new Semaphore({ limit: 1, queueMax: 1, refuse });
    await semaphore.acquire();
    const late = caught(semaphore.acquire({ timeoutMs: 10 }));
    await expect(semaphore.acquire()).rejects.toThrow('full');
    await vi.advanceTimersByTimeAsync(10);
    await expect(late).rejects.toThrow('timeout');
    const closed = caught(semaphore.acquire());
    semaphore.close();
    await expect(closed).rejects.toThrow('closed');
    await expect(semaphore.acquire()).rejects.toThrow('closed');
    expect(semaphore.tryAcquire()).toBe(false);
  });

  it('ends a wait, with its timer and its part of the queue, when its signal aborts', async () => {
    const semaphore = new Semaphore({ limit: 1, queueMax: 1, refuse });
    await semaphore.acquire();
    const controller = new AbortController();
    const left = caught(semaphore.acquire({ timeoutMs: 10, signal: controller.signal }));
    controller.abort();
    await expect(left).rejects.toThrow('aborted');
    await expect(semaphore.acquire({ signal: controller.signal })).rejects.toThrow('aborted');
    expect([semaphore.waiting, vi.getTimerCount()]).toEqual([0, 0]);
    const next = semaphore.acquire();
    semaphore.release();
    await next;
  });

  it('admits waiters in the order in which they came, whatever their keys', async () => {
    const semaphore = new Semaphore({ limit: 1, queueMax: 9, refuse });
    await semaphore.acquire();
    const admitted: string[] = [];
    for (const name of ['a', 'b', 'c']) void semaphore.acquire({ key: name }).then(() => admitted.push(name));
    for (const held of [null, 'a', 'b']) {
      semaphore.release(held);
      await settle();
    }
    expect(admitted).toEqual(['a', 'b', 'c']);
  });

  it('E6 admits one waiter of each caller in turn, whatever the number of their waiters', async () => {
    const semaphore = new Semaphore({ limit: 1, queueMax: 9, refuse });
    await semaphore.acquire({ caller: 'x' });
    const admitted: string[] = [];
    const wait = (caller: string, key: string | null = null) =>
      void semaphore.acquire({ caller, key }).then(() => admitted.push(caller));
    for (const caller of ['x', 'x', 'x', 'x', 'y']) wait(caller);
    wait('z', 'other');
    for (const held of ['x', 'x', 'y']) {
      semaphore.release(null, held);
      await settle();
    }
    wait('y');
    semaphore.release('other', 'z');
    await settle();
    for (const held of ['x', 'y']) {
      semaphore.release(null, held);
      await settle();
    }
    expect(admitted).toEqual(['x', 'y', 'z', 'x', 'y', 'x']);
  });

  it('E6 gives a caller whose waiters have all left its next turn as if they had never waited', async () => {
    const semaphore = new Semaphore({ limit: 1, queueMax: 99, refuse });
    await semaphore.acquire({ caller: 'y' });
    const left = Array.from({ length: 50 }, () => caught(semaphore.acquire({ caller: 'x', timeoutMs: 5 })));
    await vi.advanceTimersByTimeAsync(10);
    await Promise.allSettled(left);
    const admitted: string[] = [];
    for (const caller of ['y', 'y', 'x']) void semaphore.acquire({ caller }).then(() => admitted.push(caller));
    for (const held of ['y', 'y']) {
      semaphore.release(null, held);
      await settle();
    }
    expect(admitted).toEqual(['y', 'x']);
  });

  it('E6 keeps permits for other callers: half of them, and the last', async () => {
    const semaphore = new Semaphore({ limit: 6, quotaPerCaller: 3, queueMaxPerCaller: 1, refuse });
    const take = (caller: string) => semaphore.tryAcquire(null, caller);
    expect(['x', 'x', 'x', 'x'].map(take)).toEqual([true, true, true, false]);
    expect(['y', 'y', 'y'].map(take)).toEqual([true, true, false]);
    const waiting = semaphore.acquire({ caller: 'y' });
    await expect(semaphore.acquire({ caller: 'y' })).rejects.toThrow('full');
    expect(take('z')).toBe(true);
    semaphore.release(null, 'x');
    await settle();
    expect(semaphore.waiting).toBe(1);
    semaphore.release(null, 'x');
    await waiting;
    expect(semaphore.held).toBe(5);
  });

  it('E6 keeps permits of a key for other callers', () => {
    const semaphore = new Semaphore({ limit: 9, quotaPerKey: 4, quotaPerCallerOfKey: 2, refuse });
    const take = (caller: string) => semaphore.tryAcquire('hot', caller);
    expect(['x', 'x', 'x'].map(take)).toEqual([true, true, false]);
    expect(['y', 'y', 'z', 'z'].map(take)).toEqual([true, false, true, false]);
    expect(semaphore.tryAcquire('cold', 'x')).toBe(true);
    semaphore.unassign('hot', 'x');
    semaphore.release('hot', 'z');
    expect(['x', 'x'].map(take)).toEqual([true, false]);
  });

  it('releases the permit when the work fails', async () => {
    const semaphore = new Semaphore({ limit: 1, refuse });
    const fail = () => Promise.reject(new Error('no'));
    await expect(semaphore.run(fail, { key: 'a' })).rejects.toThrow('no');
    expect(semaphore.held).toBe(0);
    expect(await semaphore.run(async () => 'next', { key: 'a' })).toBe('next');
  });
});
