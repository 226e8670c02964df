import { expect, it } from 'vitest';
import { type ConsistencyRecord, mergeReports } from './diagnostics.ts';

const finding = {
  repo_id: null,
  name: null,
  path: null,
  storage: null,
  operation_id: null,
  since: null,
  msg: 'Text',
  repair: null,
  repaired: false,
} as const;

function report(name: string, more: Partial<ConsistencyRecord> = {}): ConsistencyRecord {
  return { storage: 'ours', storages: [{ name, marker: 'ours' }], findings: [], truncated: false, ...more };
}

it('merges the reports of storages, and shows a finding in the database once', () => {
  const ofName = { ...finding, kind: 'name_without_owner', name: 'x' } as const;
  const ofPath = (storage: string) => ({ ...finding, kind: 'unknown_entry', path: 'x', storage }) as const;
  const merged = mergeReports(
    [
      report('a', { findings: [ofPath('a'), ofName] }),
      report('b', { findings: [ofPath('b'), { ...ofName, repaired: true }], truncated: true }),
    ],
    [],
  );
  expect(merged).toEqual({
    storage: 'ours',
    storages: [
      { name: 'a', marker: 'ours' },
      { name: 'b', marker: 'ours' },
    ],
    findings: [ofPath('a'), { ...ofName, repaired: true }, ofPath('b')],
    truncated: true,
  });
});

it('names a storage without its marker, and storages that did not answer', () => {
  const merged = mergeReports([report('a'), report('b', { storage: 'missing' })], ['c']);
  expect([merged.storage, merged.away]).toEqual(['missing', ['c']]);
});
