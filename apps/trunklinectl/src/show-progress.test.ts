import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { showProgress, whileRepositories } from './show-progress.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function terminal(columns: number | null) {
  let text = '';
  return { err: (more: string) => void (text += more), columns: () => columns, read: () => text };
}

it('draws a bar on a terminal, above which lines stay, and which goes at the end', async () => {
  const { read, ...shown } = terminal(80);
  await whileRepositories(shown, 4, 'backed up', async ({ count, say }) => {
    expect(read()).toBe(`\r\u001b[K[${'.'.repeat(30)}]   0 % 0 of 4 repositories are backed up`);
    count();
    vi.advanceTimersByTime(100);
    count(2);
    expect(read()).toContain(`\r\u001b[K[${'#'.repeat(22)}${'.'.repeat(8)}]  75 % 3 of 4 repositories are backed up`);
    say('one\u001b[2J failed');
  });
  expect(read().endsWith('backed up\r\u001b[Kone?[2J failed\n')).toBe(true);
  // Not 1 of 4: the time between two bars had not passed.
  expect(read()).not.toContain('1 of 4');
});

it('draws nothing that is longer than a line of the terminal, and goes with the end', () => {
  const { read, ...shown } = terminal(10);
  const { end } = showProgress(shown, { total: null, tell: (done) => `${done} bytes of the archive` });
  expect(read()).toBe('\r\u001b[K0 bytes o');
  end();
  expect(read()).toBe('\r\u001b[K0 bytes o\r\u001b[K');
});

it('writes a line every few seconds where there is no terminal', async () => {
  const { read, ...shown } = terminal(null);
  await whileRepositories(shown, 3, 'restored', async ({ count }) => {
    count();
    expect(read()).toBe('');
    vi.advanceTimersByTime(5_000);
    count();
    count();
  });
  expect(read()).toBe('2 of 3 repositories are restored\n');
});
