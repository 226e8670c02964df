import { afterAll, describe, expect, it } from 'vitest';
import { admin, makeRepository, makeUser } from '../harness/shared-cluster.ts';

interface Storage {
  readonly name: string;
  readonly repositories: number;
  readonly free_bytes: number;
}

const list = () => admin.result<Storage[]>('get_storages');
const named = async (storage: string) => (await list()).find(({ name }) => name === storage);

// The cluster is shared: other files create repositories in all of its storages.
afterAll(() => admin.result('update_storage', { storage: 'second', state: 'active', weight: 100 }));

describe('get_storages', () => {
  it('lists the storages by name, with the number of their repositories', async () => {
    await makeRepository('git', { storage: 'second' });
    const storages = await list();
    expect(storages.map(({ name }) => name)).toEqual(['default', 'second']);
    expect(storages[1]).toMatchObject({ state: 'active', weight: 100, capacity_bytes: expect.any(Number) });
    expect(storages[1]?.repositories).toBeGreaterThan(0);
  });

  it('is for administrators', async () => {
    const { client } = await makeUser();
    for (const method of ['get_storages', 'update_storage']) {
      expect(await client.error(method, method === 'get_storages' ? {} : { storage: 'default' })).toBe(
        'Access was denied to this resource.',
      );
    }
  });
});

describe('update_storage', () => {
  it('changes the weight, and what is not named stays', async () => {
    const before = await named('second');
    expect(await admin.result('update_storage', { storage: 'second', weight: 7 })).toMatchObject({
      msg: 'updated storage `second`',
      storage: { name: 'second', state: 'active', weight: 7 },
    });
    expect(await admin.result('update_storage', { storage: 'second' })).toMatchObject({ storage: { weight: 7 } });
    expect((await named('second'))?.repositories).toBeGreaterThanOrEqual(before?.repositories ?? 0);
  });

  it.each([
    [{ storage: 'none' }, 'storage `none` does not exist'],
    [{ storage: '' }, 'storage `` does not exist'],
    [
      { storage: 'second', state: 'away' },
      'Invalid value for `state`: must be one of `active`, `draining`, `read-only`, `offline`, `lost`',
    ],
    [{ storage: 'second', weight: 10_001 }, 'Invalid value for `weight`: must be a whole number from 0 to 10000'],
    [{ storage: 'second', weight: -1 }, 'Invalid value for `weight`: must be a whole number from 0 to 10000'],
    [{}, 'Missing non optional `storage` arg in JSON DATA'],
  ])('refuses %j, and changes nothing', async (args, text) => {
    const before = await named('second');
    expect(await admin.error('update_storage', args)).toBe(text);
    expect(await named('second')).toMatchObject({
      ...before,
      repositories: expect.any(Number),
      free_bytes: expect.any(Number),
      repository_bytes: expect.any(Number),
      seen_at: expect.any(String),
    });
  });
});
