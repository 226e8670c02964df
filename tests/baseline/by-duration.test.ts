import { expect, it } from 'vitest';
import { interleave } from './by-duration.ts';

const durations = { wait9: [9, 1], wait5: [5, 1], wait2: [2, 0], work8: [8, 7], work3: [3, 3] } as const;
type Name = keyof typeof durations;

it('orders files so that those that wait stand beside those that compute, the longest first', () => {
  const files: Name[] = ['wait2', 'work3', 'wait9', 'work8', 'wait5'];
  expect(interleave(files, (file) => durations[file])).toEqual(['wait9', 'work8', 'wait5', 'work3', 'wait2']);
});
