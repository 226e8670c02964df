import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SingleFlight } from './single-flight.ts';

it('has at most one run of each key at a time, which ends for all calls made meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.constantFrom('a', 'b'), { maxLength: 20 }),
      async (scheduler, keys) => {
        const flights = new SingleFlight<number>();
        const running = new Map<string, Promise<number>>();
        const violations: string[] = [];
        let runs = 0;
        const work = (key: string) => async () => {
          if (running.has(key)) violations.push(`${key} runs twice`);
          runs += 1;
          const run = runs;
          await scheduler.schedule(Promise.resolve());
          running.delete(key);
          if (run % 3 === 0) throw new Error(`run ${run}`);
          return run;
        };
        const call = (key: string) => {
          const present = running.get(key);
          const result = flights.run(key, work(key));
          if (present && present !== result) violations.push(`a call for ${key} does not share the present run`);
          running.set(key, result);
          return result;
        };
        const calls = keys.map((key) => scheduler.schedule(Promise.resolve()).then(() => call(key)));
        const ended = Promise.allSettled(calls);
        await scheduler.waitAll();
        await ended;
        expect(violations).toEqual([]);
        for (const key of keys) expect(flights.isRunning(key)).toBe(false);
      },
    ),
  );
});

it('starts a new run for a call after `forget`, and waits in `settled` for the runs that are not forgotten', async () => {
  const flights = new SingleFlight<string>();
  let end = (_result: string) => {};
  const first = flights.run('a', () => new Promise((resolve) => (end = resolve)));
  flights.forget();
  expect(await flights.run('a', async () => 'new')).toBe('new');
  end('old');
  expect(await first).toBe('old');
  let fail = (_error: Error) => {};
  const failing = flights.run('b', () => new Promise((_, reject) => (fail = reject)));
  let hasSettled = false;
  const settled = flights.settled().then(() => (hasSettled = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasSettled).toBe(false);
  fail(new Error('no'));
  await expect(failing).rejects.toThrow('no');
  await settled;
});

it('ends a run when the signal of its last call aborts, and starts a new run for later calls', async () => {
  const flights = new SingleFlight<string>();
  const [one, other] = [new AbortController(), new AbortController()];
  const work = (signal: AbortSignal) =>
    new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))));
  let run: AbortSignal | undefined;
  const first = flights.run('a', (signal) => work((run = signal)), one.signal);
  const second = flights.run('a', work, other.signal);
  one.abort(new Error('first left'));
  await expect(first).rejects.toThrow('first left');
  expect([run?.aborted, flights.isRunning('a')]).toEqual([false, true]);
  other.abort(new Error('second left'));
  await expect(second).rejects.toThrow('second left');
  expect([run?.aborted, flights.isRunning('a')]).toEqual([true, false]);
  expect(await flights.run('a', async () => 'new', new AbortController().signal)).toBe('new');
});

it('does not end a run while a call without a signal waits for it', async () => {
  const flights = new SingleFlight<string>();
  const controller = new AbortController();
  let end = (_result: string) => {};
  const first = flights.run('a', () => new Promise((resolve) => (end = resolve)), controller.signal);
  const second = flights.run('a', async () => 'other');
  controller.abort(new Error('left'));
  await expect(first).rejects.toThrow('left');
  end('shared');
  expect(await second).toBe('shared');
  await expect(flights.run('a', async () => 'new', controller.signal)).rejects.toThrow('left');
});

it('leaves no listener on the signal of a call when the run has ended, with a result or an error', async () => {
  const flights = new SingleFlight<string>();
  const { signal } = new AbortController();
  await flights.run('a', async () => 'result', signal);
  await expect(flights.run('a', () => Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  // The listener goes in a reaction to the run's end, as the call's own result does.
  await new Promise((resolve) => setImmediate(resolve));
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
