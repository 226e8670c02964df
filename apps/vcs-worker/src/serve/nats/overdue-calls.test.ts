import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OverdueCalls, watchOverdueCalls, type RunningCall } from './overdue-calls.ts';

const call = (requestId: string): RunningCall => ({ method: 'get_repo', requestId });

let reported: string[];
let overdue: OverdueCalls;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  reported = [];
  overdue = new OverdueCalls({ graceMs: 100, report: ({ requestId }) => reported.push(requestId) });
});
afterEach(() => void vi.useRealTimers());

describe('OverdueCalls', () => {
  it('reports a call once, when the grace after its time limit is over', () => {
    overdue.begin(call('a'), 1_000);
    vi.advanceTimersByTime(1_099);
    expect([overdue.check(), reported]).toEqual([0, []]);
    vi.advanceTimersByTime(1);
    expect([overdue.check(), reported]).toEqual([1, ['a']]);
    vi.advanceTimersByTime(1_000);
    expect([overdue.check(), reported]).toEqual([1, ['a']]);
  });

  it('counts a call no longer when it has ended', () => {
    const { end } = overdue.begin(call('a'), 0);
    overdue.begin(call('b'), 0);
    vi.advanceTimersByTime(100);
    expect(overdue.check()).toBe(2);
    end();
    expect([overdue.check(), reported]).toEqual([1, ['a', 'b']]);
  });

  it('gives what goes on after the answer a time of its own, and reports it when that is over', () => {
    const { restart } = overdue.begin(call('a'), 0);
    vi.advanceTimersByTime(100);
    expect(overdue.check()).toBe(1);
    restart(1_000);
    vi.advanceTimersByTime(1_099);
    expect([overdue.check(), reported]).toEqual([0, ['a']]);
    vi.advanceTimersByTime(1);
    expect([overdue.check(), reported]).toEqual([1, ['a', 'a']]);
  });
});

it('overdue calls of each lane are logged by themselves, with what finds them', () => {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
  const lines: unknown[] = [];
  const watch = watchOverdueCalls({ error: (...line: unknown[]) => void lines.push(line) });
  watch.of('storage').begin(call('a'), 5_000);
  watch.of('metadata').begin(call('b'), 60_000);
  vi.advanceTimersByTime(20_000);
  const fields = { lane: 'storage', method: 'get_repo', requestId: 'a' };
  expect(lines).toEqual([[fields, 'call goes on after its time limit, and keeps its slot']]);
  expect([watch.of('storage').check(), watch.of('metadata').check()]).toEqual([1, 0]);
  watch.stop();
});
