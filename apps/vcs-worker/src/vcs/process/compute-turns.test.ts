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
  turns.count(caller, ended.signal);
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

it('lets as many commands of busy callers compute as there are permits, and these callers take turns', async () => {
  const turns = new ComputeTurns({ permits: 2, turnMs: 2 });
  const order: string[] = [];
  const resumed = (caller: string) => () => {
    // Those that a turn has ended for are suspended before the next one goes on.
    order.push(`${caller} ${computing.size}`);
  };
  const start = (caller: string, count: number) =>
    Array.from({ length: count }, () => commandOf(turns, caller, { resumed: resumed(caller) }));
  const commands = [...start('greedy', 12), ...start('busy', 3)];
  // The first commands of a caller were started before the caller was busy.
  await vi.waitFor(() => expect(order.length).toBeGreaterThan(200), waitMs);
  const later = order.slice(100);
  const ofBusy = later.filter((entry) => entry.startsWith('busy')).length;
  // By commands, it would be a fifth.
  expect(ofBusy).toBeGreaterThan(later.length / 3);
  expect(later.every((entry) => Number(entry.split(' ')[1]) <= 3)).toBe(true);
  await Promise.all(commands.map(({ end }) => end()));
});

it('does not delay the command of another caller by those of a busy one, under overload neither', async () => {
  const turns = new ComputeTurns({ permits: 2, turnMs: 2, isOverloaded: () => true });
  const resumed = vi.fn<() => void>();
  const busy = Array.from({ length: 8 }, () => commandOf(turns, 'busy', { resumed }));
  const other = commandOf(turns, 'other');
  // The first commands of the busy caller were started before the caller was busy.
  await vi.waitFor(() => expect(resumed.mock.calls.length).toBeGreaterThan(10), waitMs);
  const before = other.suspend.mock.calls.length;
  await vi.waitFor(() => expect(resumed.mock.calls.length).toBeGreaterThan(50), waitMs);
  expect(other.suspend).toHaveBeenCalledTimes(before);
  await Promise.all([...busy, other].map(({ end }) => end()));
});

it('suspends nothing while there are permits for all', async () => {
  const turns = new ComputeTurns({ permits: 2, turnMs: 2 });
  const commands = [commandOf(turns, 'one'), commandOf(turns, 'one')];
  expect(turns.isBusy('one')).toBe(false);
  const third = new AbortController();
  turns.count('one', third.signal);
  expect(turns.isBusy('one')).toBe(true);
  third.abort();
  await Promise.all(commands.map(({ end }) => end()));
  for (const { suspend } of commands) expect(suspend).not.toHaveBeenCalled();
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
  const commands = [commandOf(turns, 'one'), commandOf(turns, 'one')];
  const last = commandOf(turns, 'one');
  await vi.waitFor(() => expect(last.suspend).toHaveBeenCalledOnce(), waitMs);
  await last.end();
  await Promise.all(commands.map(({ end }) => end()));
});

it('lowers from its start, under overload, what belongs to an operation or to a caller with another command', async () => {
  const turns = new ComputeTurns({ permits: 2, isOverloaded: () => true });
  const [first, second] = [new AbortController(), new AbortController()];
  turns.count('one', first.signal);
  expect(turns.startsLowered(undefined)).toBe(false);
  await vi.waitFor(() => expect(turns.startsLowered(undefined)).toBe(true), waitMs);
  expect(turns.startsLowered('one')).toBe(false);
  turns.count('one', second.signal);
  expect(turns.startsLowered('one')).toBe(true);
  second.abort();
  expect(turns.startsLowered('one')).toBe(false);
  first.abort();
});

it('lets one command of a busy caller compute with pauses while the process is overloaded, and all permits afterwards', async () => {
  let isOverloaded = true;
  const turns = new ComputeTurns({ permits: 2, turnMs: 2, isOverloaded: () => isOverloaded });
  const commands = Array.from({ length: 4 }, () => commandOf(turns, 'one'));
  await vi.waitFor(() => expect(computing.size).toBe(0), waitMs);
  expect(turns.isOverloaded).toBe(true);
  isOverloaded = false;
  await vi.waitFor(() => expect(turns.isOverloaded).toBe(false), waitMs);
  await vi.waitFor(() => expect(computing.size).toBe(2), waitMs);
  for (let turn = 0; turn < 20; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    expect(computing.size).toBeGreaterThan(0);
  }
  await Promise.all(commands.map(({ end }) => end()));
});

const starting = ({ signal: ended }: AbortController, isSuspendable = true) => ({ ended, isSuspendable });

/** Turns under overload, with three commands of the caller `busy`. */
async function overloadedTurns(turnMs: number) {
  const turns = new ComputeTurns({ permits: 2, turnMs, isOverloaded: () => true });
  const ended = new AbortController();
  for (let command = 0; command < 3; command += 1) turns.count('busy', ended.signal);
  await vi.waitFor(() => expect(turns.isOverloaded).toBe(true), waitMs);
  return { turns, ended };
}

it('has commands of a busy caller await their first turn before they start, under overload', async () => {
  const { turns, ended } = await overloadedTurns(60_000);
  const first = new AbortController();
  expect(await turns.admit('busy', starting(first))).toBeInstanceOf(Function);
  const started = vi.fn<() => void>();
  const next = turns.admit('busy', starting(ended)).finally(started);
  const [gone, signal] = [new AbortController(), new AbortController()];
  const left = turns.admit('busy', starting(gone), signal.signal);
  expect(await turns.admit('other', starting(ended))).toBeUndefined();
  expect(started).not.toHaveBeenCalled();
  signal.abort();
  expect(await left).toBeUndefined();
  // A command that has ended gives its turn to the next one.
  first.abort();
  expect(await next).toBeInstanceOf(Function);
  ended.abort();
});

it('has a command that is never suspended await its first turn for a second at most', async () => {
  const { turns, ended } = await overloadedTurns(60_000);
  const endFirst = await turns.admit('busy', starting(ended));
  expect(await turns.admit('busy', starting(ended, false))).toBeUndefined();
  endFirst?.();
  ended.abort();
});

it('has a command go on with the turn that it had to have before it started', async () => {
  const { turns, ended } = await overloadedTurns(60_000);
  const endFirst = await turns.admit('busy', starting(ended));
  const suspend = vi.fn<() => void>();
  const taken = turns.take({ caller: 'busy', ended: ended.signal, suspend, resume() {}, cpuMs: () => 0 }, endFirst);
  await new Promise(setImmediate);
  expect(suspend).not.toHaveBeenCalled();
  ended.abort();
  await taken;
});

it('ends the first turn of a command that takes no others in time', async () => {
  const { turns, ended } = await overloadedTurns(2);
  const endFirst = await turns.admit('busy', starting(ended));
  const next = turns.admit('busy', starting(ended));
  if (endFirst) turns.endInTime(endFirst);
  expect(await next).toBeInstanceOf(Function);
  ended.abort();
});

it('forgets overload in the time in which there were no commands', async () => {
  let isOverloaded = true;
  const turns = new ComputeTurns({ permits: 2, isOverloaded: () => isOverloaded });
  const [first, next] = [new AbortController(), new AbortController()];
  turns.count('one', first.signal);
  await vi.waitFor(() => expect(turns.isOverloaded).toBe(true), waitMs);
  isOverloaded = false;
  first.abort();
  expect(turns.isOverloaded).toBe(true);
  const later = performance.now() + 10_000;
  vi.spyOn(performance, 'now').mockReturnValue(later);
  turns.count('one', next.signal);
  vi.restoreAllMocks();
  expect(turns.isOverloaded).toBe(false);
  next.abort();
});
