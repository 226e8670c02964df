import { expect, it } from 'vitest';
import { createLoadMeter } from './load-meter.ts';
import { processorWaitMs } from '@trunkline/runtime/concurrency';

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
