import { expect, it } from 'vitest';
import type { BackedUpRepository } from '../backup/manifest.ts';
import { chooseStorages, readMapping, requireMapped, selectRepositories } from './choices.ts';

const of = (id: number, name: string): BackedUpRepository => ({
  id,
  name,
  uuid: `00000000-0000-4000-8000-00000000000${id}`,
  type: 'git',
  storage: 'default',
  epoch: 1,
  generation: 1,
  sizeBytes: null,
  damaged: false,
  head: { epoch: 1, generation: 1, lastChangeset: null, defaultBranch: null, refs: '' },
  files: [],
});
const manifest = {
  repositories: [of(1, 'one'), of(2, 'two')],
  missing: [
    { id: 3, name: 'late', reason: 'busy', former: of(3, 'late') },
    { id: 4, name: 'lost', reason: 'gone', former: null },
  ],
};

it('refuses a backup that lacks repositories unless that is accepted, or all of them are left out', () => {
  const none = { acceptMissing: false, leaveOut: [] };
  expect(() => selectRepositories(manifest, none)).toThrow('`late`, `lost`: --accept-missing');
  expect(() => selectRepositories(manifest, { ...none, leaveOut: ['late'] })).toThrow('given `lost`: ');
  const without = selectRepositories(manifest, { ...none, leaveOut: ['late', 'lost'] });
  expect(without).toMatchObject({ former: [], leftOut: ['late', 'lost'] });
  expect(without.repositories.map(({ id }) => id)).toEqual([1, 2]);
});

it('takes what an earlier backup had, and leaves out what is named', () => {
  const found = selectRepositories(manifest, { acceptMissing: true, leaveOut: ['two'] });
  expect(found.repositories.map(({ id }) => id)).toEqual([1, 3]);
  expect(found).toMatchObject({ former: ['late'], leftOut: ['two', 'lost'] });
});

it('names a repository that the backup does not have', () => {
  const wrong = { acceptMissing: true, leaveOut: ['one', 'three'] };
  expect(() => selectRepositories(manifest, wrong)).toThrow('`--leave-out`: the backup has no repository `three`');
});

const storage = (name: string, weight = 100) => ({ id: `id of ${name}`, name, weight });
const repository = (id: number, of: string, sizeBytes: number | null = null) => ({ id, storage: of, sizeBytes });
const namesOf = (chosen: ReturnType<typeof chooseStorages>) => [...chosen.values()].map(({ name }) => name);

it('keeps names of storages, and spreads what was on others by weight', () => {
  const repositories = [repository(1, 'a', 900_000), ...[2, 3, 4, 5].map((id) => repository(id, 'gone', 300_000))];
  expect(namesOf(chooseStorages(repositories, [storage('a'), storage('b', 200)], new Map()))).toEqual([
    'a',
    'b',
    'b',
    'b',
    'b',
  ]);
  expect(namesOf(chooseStorages(repositories.slice(1), [storage('a'), storage('b')], new Map()))).toEqual([
    'a',
    'b',
    'a',
    'b',
  ]);
});

it('follows the mapping before names', () => {
  const here = [storage('a'), storage('b')];
  expect(namesOf(chooseStorages([repository(1, 'a')], here, readMapping(['a=b'])))).toEqual(['b']);
  expect(() => chooseStorages([], here, readMapping(['a=c']))).toThrow('no active storage `c`');
  expect(() => chooseStorages([], [], new Map())).toThrow('start its workers');
  expect(() => readMapping(['a:b'])).toThrow('OLD=NEW');
});

it('refuses a mapping by which a further run would send a repository elsewhere', () => {
  const mapping = readMapping(['a=b']);
  requireMapped({ name: 'one', storage: 'a' }, 'b', mapping);
  requireMapped({ name: 'one', storage: 'other' }, 'c', mapping);
  expect(() => requireMapped({ name: 'one', storage: 'a' }, 'c', mapping)).toThrow('goes to the storage `c`');
});
