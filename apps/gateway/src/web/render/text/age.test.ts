import { describe, expect, it } from 'vitest';
import { age } from './age.ts';

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
