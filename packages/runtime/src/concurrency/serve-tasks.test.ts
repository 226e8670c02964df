import { expect, it } from 'vitest';
import { lowerThreadPriority } from './serve-tasks.ts';

it.each([
  ['linux', 0, [10]],
  ['linux', 15, []],
  ['darwin', 0, []],
] as const)('on %s, a thread of the nice value %i is set to %j', (platform, priority, expected) => {
  const set: number[] = [];
  lowerThreadPriority({
    platform: () => platform,
    getPriority: () => priority,
    setPriority: (_process: number, value?: number) => void set.push(value ?? 0),
  });
  expect(set).toEqual(expected);
});
