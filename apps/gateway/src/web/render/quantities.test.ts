import { describe, expect, it } from 'vitest';
import { age, duration } from './quantities.ts';

const now = new Date('2026-11-21T09:50:26.500Z');

describe('age', () => {
  it.each([
    ['2026-11-21T09:50:26Z', 'just now'],
    ['2026-11-21T09:51:00Z', 'just now'],
    ['2026-11-21T09:49:20Z', '1 minute ago'],
    ['2026-11-21T07:50:26Z', '2 hours ago'],
    ['2026-11-18T09:50:26Z', '3 days ago'],
    ['2026-11-07T09:50:26Z', '2 weeks ago'],
    ['2026-10-01T00:00:00Z', '1 month ago'],
    ['2015-01-01T00:00:00Z', '11 years ago'],
    ['2027-01-01T00:00:00Z', 'in 1 month'],
  ])('shows %s as %s', (date, text) => {
    expect(age(new Date(date), now).text).toBe(text);
  });

  it('gives the exact time in UTC as the title', () => {
    expect(age(new Date('2026-11-21T09:50:26.500Z'), now).title).toBe('2026-11-21 09:50:26 UTC');
    expect(age(new Date(8.64e15), now).title).toBe('+275760-09-13 00:00:00 UTC');
  });

  it('gives an invalid date no age and no title', () => {
    expect(age(new Date(1e20), now)).toEqual({ text: 'at an unknown time', title: '' });
  });
});

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
