import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OverdueCalls, type RunningCall } from './overdue-calls.ts';

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
    const end = overdue.begin(call('a'), 0);
    overdue.begin(call('b'), 0);
    vi.advanceTimersByTime(100);
    expect(overdue.check()).toBe(2);
    end();
    expect([overdue.check(), reported]).toEqual([1, ['a', 'b']]);
  });
});
