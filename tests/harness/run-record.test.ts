import { expect, it } from 'vitest';
import { slowestLines, type FileRecord } from './run-record.ts';

const record = (wallSeconds: number): FileRecord => ({
  project: 'unit',
  wallSeconds,
  processorSeconds: 0.5,
  tests: [],
});

it('lists the slowest files first, up to thirty, and sums all of them', () => {
  const records = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`tests/${at}.test.ts`, record(at)]));
  const lines = slowestLines(records);
  expect(lines[0]).toBe('The 30 slowest of 40 files; all together 780 s, processors 20 s:');
  expect(lines[1]).toBe('   39.0 s, processors    0.5 s  tests/39.test.ts');
  expect(lines.at(-1)).toBe('   10.0 s, processors    0.5 s  tests/10.test.ts');
});

it('says nothing of a run in which no file took a second', () => {
  expect(slowestLines({ 'tests/a.test.ts': record(0.9) })).toEqual([]);
});
