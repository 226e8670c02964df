import { expect, it, vi } from 'vitest';
import { ComputeTurns } from './compute-turns.ts';

const computing = new Set<string>();
const waitMs = { timeout: 20_000, interval: 1 };

/** A command that says when it is resumed; one that is idle waits for its reader and uses no processor time. */
function commandOf(turns: ComputeTurns, caller: string, { isIdle = false, resumed = () => {} } = {}) {
  const ended = new AbortController();
  const name = `${caller} ${Math.random()}`;
  let cpuMs = 0;
  computing.add(name);
  const suspend = vi.fn<() => void>(() => void computing.delete(name));
  const taken = turns.take({
    caller,
    ended: ended.signal,
    suspend,
    resume() {
      computing.add(name);
      resumed();
    },
    cpuMs: () => (cpuMs += isIdle ? 0 : 1_000),
  });
  const end = async () => {
    computing.delete(name);
    ended.abort();
    await taken;
  };
  return { suspend, end };
}

it('lets as many commands compute as there are permits, and callers take turns', async () => {
  const turns = new ComputeTurns({ permits: 2, turnMs: 2 });
  const order: string[] = [];
  const resumed = (caller: string) => () => {
    // Those that a turn has ended for are suspended before the next one goes on.
    order.push(`${caller} ${computing.size}`);
  };
  const greedy = Array.from({ length: 8 }, () => commandOf(turns, 'greedy', { resumed: resumed('greedy') }));
  const other = commandOf(turns, 'other', { resumed: resumed('other') });
  await vi.waitFor(() => expect(order.length).toBeGreaterThan(200), waitMs);
  const ofOther = order.filter((entry) => entry.startsWith('other')).length;
  // By commands, it would be a ninth.
  expect(ofOther).toBeGreaterThan(40);
  expect(order.every((entry) => Number(entry.split(' ')[1]) <= 3)).toBe(true);
  await Promise.all([...greedy, other].map(({ end }) => end()));
});

it('suspends nothing while there are permits for all', async () => {
  const turns = new ComputeTurns({ permits: 2, turnMs: 2 });
  const commands = [commandOf(turns, 'one'), commandOf(turns, 'one')];
  expect(turns.isBusy('one')).toBe(true);
  await Promise.all(commands.map(({ end }) => end()));
  for (const { suspend } of commands) expect(suspend).not.toHaveBeenCalled();
  expect(turns.isBusy('one')).toBe(false);
});

it('gives the turns of a command that waits for its reader to others', async () => {
  const turns = new ComputeTurns({ permits: 1, turnMs: 2, idleMs: 60_000 });
  const idle = commandOf(turns, 'idle', { isIdle: true });
  const resumed = vi.fn<() => void>();
  const busy = commandOf(turns, 'busy', { resumed });
  const last = commandOf(turns, 'last', { resumed });
  await vi.waitFor(() => expect(resumed.mock.calls.length).toBeGreaterThan(3), waitMs);
  expect(idle.suspend).not.toHaveBeenCalled();
  await Promise.all([idle, busy, last].map(({ end }) => end()));
});

it('ends with a command that is suspended', async () => {
  const turns = new ComputeTurns({ permits: 1, turnMs: 60_000 });
  const first = commandOf(turns, 'one');
  const second = commandOf(turns, 'one');
  await vi.waitFor(() => expect(second.suspend).toHaveBeenCalledOnce(), waitMs);
  await second.end();
  await first.end();
});

it('lets one command compute with pauses while the process is overloaded, and all that have permits afterwards', async () => {
  let isOverloaded = true;
  const turns = new ComputeTurns({ permits: 2, turnMs: 2, isOverloaded: () => isOverloaded });
  const resumed = vi.fn<() => void>();
  const command = commandOf(turns, 'one', { resumed });
  await vi.waitFor(() => expect(resumed.mock.calls.length).toBeGreaterThan(3), waitMs);
  const before = command.suspend.mock.calls.length;
  isOverloaded = false;
  // Once the limit is one again, nothing suspends a command that nobody waits for.
  await vi.waitFor(async () => {
    const count = command.suspend.mock.calls.length;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(command.suspend.mock.calls.length).toBe(count);
  }, waitMs);
  expect(command.suspend.mock.calls.length).toBeGreaterThanOrEqual(before);
  await command.end();
});
