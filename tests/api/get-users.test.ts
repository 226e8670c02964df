import { describe, expect, it } from 'vitest';
import { admin, makeUser } from '../harness/shared-cluster.ts';

describe('get_users', () => {
  it('returns all users except `default`, by username, with keys and addresses, to an administrator', async () => {
    const made = await makeUser();
    const users = await admin.result<{ username: string; api_key: string; ip_addresses: string[] }[]>('get_users');
    const names = users.map(({ username }) => username);
    expect(names).not.toContain('default');
    expect(names).toEqual(names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    expect(users.find(({ username }) => username === made.username)).toMatchObject({
      api_key: made.client.apiKey,
      ip_addresses: [],
    });
    expect(users.every((user) => !('permissions' in user))).toBe(true);
  });

  it('unknown arguments are ignored', async () => {
    expect(Array.isArray(await admin.result('get_users', { bogus: 1, __proto__: 2 }))).toBe(true);
  });

  it('is refused without permission', async () => {
    const { client } = await makeUser();
    expect(await client.error('get_users')).toBe('Access was denied to this resource.');
  });
});
