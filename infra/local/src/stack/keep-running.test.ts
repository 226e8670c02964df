import { expect, it } from 'vitest';
import type { RunningChild } from '../process/running-child.ts';
import { keepRunning } from './keep-running.ts';

interface FakeChild extends RunningChild {
  end(ending: string): void;
}

function fakeChild(pid: number): FakeChild {
  let end: (ending: string) => void = () => {};
  const exited = new Promise<string>((resolve) => (end = resolve));
  const stop = () => Promise.resolve(end('SIGTERM'));
  return { pid, exited, end, stop, kill: stop };
}

/** Creates options for a fake child whose starts succeed or fail as in `plan`, and records of all calls. */
function scene(plan: readonly ('ok' | 'fails')[]) {
  const started: FakeChild[] = [];
  const formers: (number | null)[] = [];
  const said: string[] = [];
  const pauses: number[] = [];
  let replaced: () => void = () => {};
  let attempt = 0;
  return {
    started,
    formers,
    said,
    pauses,
    nextReplacement: () => new Promise<void>((resolve) => (replaced = resolve)),
    options: {
      name: 'app',
      start: (former: FakeChild | null) => {
        formers.push(former?.pid ?? null);
        if (plan[attempt++] === 'fails') return Promise.reject(new Error('no luck'));
        const child = fakeChild(attempt);
        started.push(child);
        return Promise.resolve(child);
      },
      say: (line: string) => void said.push(line),
      onReplaced: () => replaced(),
      pause: (ms: number) => Promise.resolve(void pauses.push(ms)),
    },
  };
}

it('retries a first start that fails', async () => {
  const { options, pauses } = scene(['fails', 'fails', 'ok']);
  expect((await keepRunning(options)).current.pid).toBe(3);
  expect(pauses).toEqual([200, 400]);
});

it('throws the error of the third attempt of the first start', async () => {
  const { options, formers } = scene(['fails', 'fails', 'fails', 'ok']);
  await expect(keepRunning(options)).rejects.toThrow('no luck');
  expect(formers).toHaveLength(3);
});

it('restarts a process that ended, after growing delays, and reports the replacement', async () => {
  const { options, started, formers, said, pauses, nextReplacement } = scene(['ok', 'ok', 'fails', 'ok']);
  const kept = await keepRunning(options);

  let replacement = nextReplacement();
  started[0]?.end('SIGKILL');
  await replacement;
  expect(kept.current.pid).toBe(2);

  replacement = nextReplacement();
  started[1]?.end('exit code 1');
  await replacement;
  expect(kept.current.pid).toBe(4);
  expect(formers).toEqual([null, 1, 2, 2]);
  expect(pauses).toEqual([200, 400, 800]);
  expect(said).toEqual([
    'app ended (SIGKILL), starting it again',
    'app ended (exit code 1), starting it again',
    'app cannot be started again: no luck',
  ]);
});

it('does not restart a process that was stopped', async () => {
  const { options, started, said } = scene(['ok', 'ok']);
  const kept = await keepRunning(options);
  await kept.stop();
  expect(await kept.current.exited).toBe('SIGTERM');
  await new Promise(setImmediate);
  expect([started.length, said]).toEqual([1, []]);
});

it('does not start a second process when the replacement cannot be recorded', async () => {
  const { options, started, said } = scene(['ok', 'ok', 'ok', 'ok']);
  let recorded = () => {};
  const recording = () => new Promise<void>((resolve) => (recorded = resolve));
  const onReplaced = () => {
    recorded();
    throw new Error('no space left');
  };
  const kept = await keepRunning({ ...options, onReplaced });
  let tried = recording();
  started[0]?.end('SIGKILL');
  await tried;
  await new Promise(setImmediate);
  expect([started.length, kept.current.pid]).toEqual([2, 2]);
  expect(said.at(-1)).toBe('app was started again, but that could not be recorded: no space left');

  tried = recording();
  started[1]?.end('SIGKILL');
  await tried;
  await new Promise(setImmediate);
  expect([started.length, kept.current.pid]).toEqual([3, 3]);
});
