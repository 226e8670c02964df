import { expect, it } from 'vitest';
import { ClientDemand } from './client-demand.ts';

function setUp() {
  const clock = { ms: 0 };
  const demand = new ClientDemand(() => clock.ms);
  /** Has a source keep one request pending for so long, and none for so long, many times. */
  const repeat = (source: string, pendingMs: number, pauseMs: number) => {
    for (let round = 0; round < 100; round += 1) {
      const counted = demand.begin(source);
      clock.ms += pendingMs;
      counted.end();
      clock.ms += pauseMs;
    }
  };
  return { clock, demand, repeat };
}

it('calls a source heavy that always has a request pending', () => {
  const { demand, repeat } = setUp();
  repeat('loop', 100, 0);
  expect(demand.isGreedy('loop')).toBe(true);
  expect(demand.isGreedy('unknown')).toBe(false);
});

it('calls a source light that pauses between its requests', () => {
  const { demand, repeat } = setUp();
  repeat('user', 100, 150);
  expect(demand.isGreedy('user')).toBe(false);
  expect(demand.hasInteractive()).toBe(true);
});

it('calls a source with more requests at once than a browser heavy at once', () => {
  const { demand } = setUp();
  for (let index = 0; index < 6; index += 1) demand.begin('browser');
  expect(demand.isGreedy('browser')).toBe(false);
  expect(demand.hasInteractive()).toBe(true);
  demand.begin('browser');
  expect(demand.isGreedy('browser')).toBe(true);
  // Its own requests do not wait for it.
  expect(demand.hasInteractive()).toBe(false);
});

it('sees a source light for ten seconds after a short request', () => {
  const { clock, demand, repeat } = setUp();
  repeat('user', 1, 0);
  clock.ms += 9_000;
  expect(demand.hasInteractive()).toBe(true);
  clock.ms += 2_000;
  expect(demand.hasInteractive()).toBe(false);
});

it('a heavy source becomes light, and is forgotten, when it sends nothing', () => {
  const { clock, demand, repeat } = setUp();
  repeat('loop', 100, 0);
  expect(demand.hasInteractive()).toBe(false);
  clock.ms += 3_000;
  expect(demand.isGreedy('loop')).toBe(false);
  expect(demand.hasInteractive()).toBe(true);
  clock.ms += 30_000;
  expect(demand.hasInteractive()).toBe(false);
});

it('counts slow requests for the pace of responses alone', () => {
  const { clock, demand } = setUp();
  const counted = Array.from({ length: 7 }, () => demand.begin('downloads'));
  for (const one of counted) one.slow();
  clock.ms += 30_000;
  expect(demand.isGreedy('downloads')).toBe(false);
  expect(demand.isBulky('downloads')).toBe(true);
  counted[0]?.end();
  expect(demand.isBulky('downloads')).toBe(false);
});

it('keeps no more than ten thousand sources', () => {
  const { demand } = setUp();
  for (let index = 0; index < 10_000; index += 1) demand.begin(`source ${index}`);
  for (let index = 0; index < 10; index += 1) demand.begin('one more');
  expect(demand.isGreedy('one more')).toBe(false);
});
