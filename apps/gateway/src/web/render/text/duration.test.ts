import { expect, it } from 'vitest';
import { duration } from './duration.ts';

it.each([
  [0, '0.0 s'],
  [0.44, '0.4 s'],
  [9.96, '9 s'],
  [59.9, '59 s'],
  [60, '1 minute'],
  [3_599, '59 minutes'],
  [7_500, '2 hours 5 minutes'],
  [86_400, '1 day'],
  [90_000, '1 day 1 hour'],
  [86_459, '1 day'],
])('%d seconds are %s', (seconds, text) => expect(duration(seconds)).toBe(text));
