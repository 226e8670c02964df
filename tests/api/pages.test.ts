import { describe, expect, it } from 'vitest';
import { admin, makeRepository, makeUser, uniqueName } from '../harness/shared-cluster.ts';

/** Reads a list page by page, the cursor of each taken from the last entry of the previous page. */
async function walk<T>(method: string, limit: number, cursorOf: (entry: T) => unknown): Promise<T[]> {
  const seen: T[] = [];
  for (let cursor: unknown = null; ;) {
    const page = await admin.result<T[]>(method, { limit, cursor });
    expect(page.length).toBeLessThanOrEqual(limit);
    seen.push(...page);
    const last = page.at(-1);
    if (last === undefined) return seen;
    cursor = cursorOf(last);
  }
}

describe('pages of long lists', () => {
  it('get_repos: together have the whole list, each entry once', async () => {
    for (let n = 0; n < 3; n += 1) await makeRepository('git');
    const pages = await walk<{ repo_id: number }>('get_repos', 2, ({ repo_id: id }) => id);
    const whole = await admin.result<{ repo_id: number }[]>('get_repos');
    const ids = new Set(pages.map(({ repo_id: id }) => id));
    expect(ids.size).toBe(pages.length);
    // Other tests create and delete repositories meanwhile; only those of this test stay.
    expect(whole.filter(({ repo_id: id }) => ids.has(id)).length).toBeGreaterThanOrEqual(3);
    expect(pages.map(({ repo_id: id }) => id)).toEqual([...ids].toSorted((a, b) => a - b));
  });

  it('get_users: by username', async () => {
    const made = [await makeUser(), await makeUser(), await makeUser()].map(({ username }) => username);
    const pages = await walk<{ username: string }>('get_users', 2, ({ username }) => username);
    expect(pages.map(({ username }) => username)).toEqual(expect.arrayContaining(made));
  });

  it('get_user_groups: by id', async () => {
    const made = [uniqueName('group'), uniqueName('group'), uniqueName('group')];
    for (const name of made) await admin.result('create_user_group', { group_name: name });
    const pages = await walk<{ users_group_id: number; group_name: string }>(
      'get_user_groups',
      2,
      ({ users_group_id: id }) => id,
    );
    expect(pages.map(({ group_name: name }) => name)).toEqual(expect.arrayContaining(made));
  });

  it.each([0, -1, 10_001, '1.5', true])('a limit of %j is refused', async (limit) => {
    expect(await admin.error('get_repos', { limit })).toBe(
      'Invalid value for `limit`: must be a whole number from 1 to 10000',
    );
  });
});
