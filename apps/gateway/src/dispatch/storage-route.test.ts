import { methods, served, UnavailableError } from '@trunkline/contracts';
import { describe, expect, it } from 'vitest';
import { RepositoryHints } from './repository-hints.ts';
import { createStorageRoute } from './storage-route.ts';
import type { KnownStorage } from './storage-directory.ts';

function storage(name: string, more: Partial<KnownStorage> = {}): KnownStorage {
  return { id: `id of ${name}`, name, state: 'active', weight: 100, capacityBytes: null, freeBytes: null, ...more };
}

/** Creates routes over these storages, of which the first chosen at random is the first; `rows` are repositories. */
function setUp(...names: string[]) {
  const state = { storages: names.map((name) => storage(name)), located: 0, refreshed: 0 };
  const rows = [{ id: 5, name: 'group/repo', storageId: 'id of b' }];
  const hints = new RepositoryHints();
  const directory = {
    all: async () => state.storages,
    async refreshed() {
      state.refreshed += 1;
      return state.storages;
    },
    nameOf: (id: string) => state.storages.find((one) => one.id === id)?.name ?? null,
  };
  const locate = async (ref: { id: number } | { name: string }) => {
    state.located += 1;
    return rows.find(({ id, name }) => ('id' in ref ? ref.id === id : ref.name === name)) ?? null;
  };
  const route = (args: unknown, method: Parameters<typeof createStorageRoute>[1]['method'] = methods.get_repo_nodes) =>
    createStorageRoute({ directory, hints, locate, random: () => 0, freeBytesMin: 1 }, { method, args });
  return { state, rows, hints, route };
}

describe('the route of a call about a repository', () => {
  it('costs one statement for a repository that was not asked for before, and none after that', async () => {
    const { state, route } = setUp('a', 'b');
    for (const repoid of ['group/repo', 5, '5', 'group/repo']) expect(await route({ repoid }).first()).toBe('b');
    expect(state.located).toBe(1);
  });

  it('costs nothing while there is one storage', async () => {
    const { state, route } = setUp('a');
    expect(await route({ repoid: 5 }).first()).toBe('a');
    expect(state.located).toBe(0);
  });

  it('follows a worker that names another storage, and remembers that storage', async () => {
    const { hints, route } = setUp('a', 'b');
    hints.setStorage('5', 'a');
    const one = route({ repoid: 5 });
    expect(await one.first()).toBe('a');
    expect(await one.afterWrongStorage('b')).toBe('b');
    expect(await one.afterWrongStorage('a')).toBeNull();
    expect(await route({ repoid: 5 }).first()).toBe('b');
  });

  it.each(['c', '', 'b.>', 'B'])('follows no worker that names %j, which the database does not know', async (named) => {
    const { route } = setUp('a', 'b');
    const one = route({ repoid: 5 });
    await one.first();
    expect(await one.afterWrongStorage(named)).toBeNull();
  });

  it('looks the repository up again when the storage of a hint has no worker', async () => {
    const { hints, state, route } = setUp('a', 'b');
    hints.setStorage('5', 'a');
    const one = route({ repoid: 5 });
    expect(await one.first()).toBe('a');
    expect(await one.afterUnserved()).toBe('b');
    expect(await one.afterUnserved()).toBeNull();
    expect(state.located).toBe(2);
  });

  it.each([{ repoid: 'missing' }, { repoid: 99 }, { repoid: null }, { repoid: [] }, {}, null, [5]])(
    'leads to any worker when %j names no repository: the worker answers as for all others',
    async (args) => {
      const { route } = setUp('a', 'b');
      const one = route(args);
      expect(await one.first()).toBe('a');
      expect(await one.afterUnserved()).toBe('b');
      expect(await one.afterUnserved()).toBeNull();
    },
  );
});

describe('the route of a call about a repository whose storage is lost', () => {
  it('leads to any worker when the call needs no bytes', async () => {
    const { state, route } = setUp('a', 'b', 'c');
    state.storages = [storage('a'), storage('b', { state: 'lost' }), storage('c')];
    const one = route({ repoid: 5 }, methods.delete_repo);
    expect([await one.first(), await one.afterUnserved(), await one.afterUnserved()]).toEqual(['a', 'c', null]);
    expect(await route({ repoid: 5 }, methods.pull).first()).toBe('b');
  });

  it('leads there also when the storage was recorded as lost after the list was read', async () => {
    const { state, route } = setUp('a', 'b');
    const one = route({ repoid: 5 }, methods.delete_repo);
    expect(await one.first()).toBe('b');
    state.storages = [storage('a'), storage('b', { state: 'lost' })];
    expect([await one.afterUnserved(), await one.afterUnserved()]).toEqual(['a', null]);
  });
});

describe('the route of a new repository', () => {
  it('leads to a storage that takes new repositories, then to others', async () => {
    const { state, route } = setUp('a', 'b', 'c');
    state.storages = [storage('a', { state: 'draining' }), storage('b'), storage('c')];
    const one = route({ repo_name: 'x' }, methods.create_repo);
    expect(await one.first()).toBe('b');
    expect(await one.afterWrongStorage('c')).toBe('c');
    // No storage is left that takes the repository: its workers say so.
    expect(await one.afterUnserved()).toBe('a');
    expect(await one.afterUnserved()).toBeNull();
  });

  it('leads to the storage that the call names, and to no other', async () => {
    const { route } = setUp('a', 'b');
    const one = route({ repo_name: 'x', storage: 'b' }, methods.create_repo);
    expect(await one.first()).toBe('b');
    expect(await one.afterUnserved()).toBeNull();
  });
});

it('a call about no repository may run anywhere', async () => {
  const { route } = setUp('a', 'b');
  const one = route({ operation_id: 'x' }, served.wait_operation);
  expect([await one.first(), await one.afterUnserved(), await one.afterUnserved()]).toEqual(['a', 'b', null]);
});

it('a call fails while the database knows no storage', async () => {
  await expect(setUp().route({ repoid: 5 }).first()).rejects.toThrow(UnavailableError);
});
