import { expect, it } from 'vitest';
import { processorWaitMs } from '@trunkline/runtime/concurrency';
import { createLoadMeter, greedyMax, nextGreedyLimit, pauseAfter, unlimited } from './load-limit.ts';

function setUp(waited: number | null) {
  const state = { now: 0, waited, busy: 0 };
  const isOverloaded = createLoadMeter({
    now: () => state.now,
    waitMs: () => state.waited,
    utilization: () => ({ idle: 0, active: 0, utilization: state.busy }),
  });
  return { state, isOverloaded };
}

it('is overloaded while the process waits for a core, and only then', () => {
  const { state, isOverloaded } = setUp(500);
  Object.assign(state, { now: 100, waited: 505 });
  expect(isOverloaded()).toBe(false);
  Object.assign(state, { now: 200, waited: 525 });
  expect(isOverloaded()).toBe(true);
  state.now = 300;
  expect(isOverloaded()).toBe(false);
});

it('is overloaded while the event loop is always busy, also where waits are not counted', () => {
  const { state, isOverloaded } = setUp(null);
  Object.assign(state, { now: 100, busy: 0.5 });
  expect(isOverloaded()).toBe(false);
  Object.assign(state, { now: 200, busy: 0.95 });
  expect(isOverloaded()).toBe(true);
});

it('reads the wait of this process, which never falls, where Linux counts it', () => {
  const first = processorWaitMs();
  expect(first !== null).toBe(process.platform === 'linux');
  expect(processorWaitMs() ?? 0).toBeGreaterThanOrEqual(first ?? 0);
});

const overloaded = { isOverloaded: true, hasInteractive: true };
const calm = { isOverloaded: false, hasInteractive: true };

it('falls below one request by overload, and grows by one in ten steps without', () => {
  let limit = unlimited;
  for (let index = 0; index < 9; index += 1) limit = nextGreedyLimit(limit, overloaded);
  expect(limit).toBe(0.125);
  expect(nextGreedyLimit(limit, overloaded)).toBe(0.125);
  for (let index = 0; index < 10; index += 1) limit = nextGreedyLimit(limit, calm);
  expect(limit).toBeCloseTo(1.125);
});

it('grows to what keeps a gateway busy, and ends at once when nobody is to be protected', () => {
  let limit = 1;
  for (let index = 0; index < 200; index += 1) limit = nextGreedyLimit(limit, calm);
  expect(limit).toBe(greedyMax);
  // Many requests that come before an overload is seen do not run all at once.
  expect(nextGreedyLimit(unlimited, calm)).toBe(greedyMax);
  expect(nextGreedyLimit(1, { isOverloaded: true, hasInteractive: false })).toBe(unlimited);
});

it('has requests run for a part of the time below one, with pauses of at most a second', () => {
  expect(pauseAfter(100, 0.25)).toBe(300);
  expect(pauseAfter(900, 0.25)).toBe(1_000);
  expect(pauseAfter(100, 1)).toBe(0);
  expect(pauseAfter(100, Infinity)).toBe(0);
});
