import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SingleFlight } from './single-flight.ts';

it('runs each key once at a time, and everybody who asks meanwhile gets that run’s end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.constantFrom('a', 'b'), { maxLength: 20 }),
      async (scheduler, keys) => {
        const flights = new SingleFlight<number>();
        const running = new Set<string>();
        let runs = 0;
        const work = (key: string) => async () => {
          expect(running.has(key)).toBe(false);
          running.add(key);
          runs += 1;
          const run = runs;
          await scheduler.schedule(Promise.resolve());
          running.delete(key);
          if (run % 3 === 0) throw new Error(`run ${run}`);
          return run;
        };
        const asked = keys.map((key) => scheduler.schedule(Promise.resolve()).then(() => flights.run(key, work(key))));
        const ended = Promise.allSettled(asked);
        await scheduler.waitAll();
        await ended;
        expect(runs).toBeLessThanOrEqual(keys.length);
        for (const key of keys) expect(flights.isRunning(key)).toBe(false);
      },
    ),
  );
});

it('after `forget` a new caller gets a new run, and `settled` waits for what runs', async () => {
  const flights = new SingleFlight<string>();
  let end = (_result: string) => {};
  const first = flights.run('a', () => new Promise((resolve) => (end = resolve)));
  flights.forget();
  expect(await flights.run('a', async () => 'new')).toBe('new');
  end('old');
  expect(await first).toBe('old');
  const failing = flights.run('b', () => Promise.reject(new Error('no')));
  await flights.settled();
  await expect(failing).rejects.toThrow('no');
});
