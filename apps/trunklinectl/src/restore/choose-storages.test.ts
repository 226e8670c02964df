import { expect, it } from 'vitest';
import { chooseStorages, readMapping, requireMapped } from './choose-storages.ts';

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
