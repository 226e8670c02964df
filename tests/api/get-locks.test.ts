import { describe, expect, it } from 'vitest';
import { admin, makeRepository, makeUser, type TestUser } from '../harness/shared-cluster.ts';

interface Locked {
  readonly repo_id: number;
  readonly repo_name: string;
  readonly locked_by: string;
  readonly locked_date: number;
}

const namesOf = (locks: readonly Locked[]) => locks.map(({ repo_name }) => repo_name);

/** Creates a repository that the user may write to and has locked; returns its name. */
async function lockedBy({ username, client }: TestUser): Promise<string> {
  const repoid = await makeRepository('git');
  await admin.result('grant_user_permission', { repoid, userid: username, perm: 'repository.write' });
  await client.result('lock', { repoid, locked: true });
  return repoid;
}

describe('get_locks', () => {
  it('returns the caller’s locks with record, holder and time', async () => {
    const [ann, bob] = [await makeUser(), await makeUser()];
    const [first, second] = [await lockedBy(ann), await lockedBy(ann)];
    await lockedBy(bob);
    const { locked_since } = await ann.client.result<{ locked_since: number }>('lock', { repoid: first });
    const records = await ann.client.result<Locked[]>('get_repos');
    const record = records.find(({ repo_name }) => repo_name === first);
    expect(record).toBeDefined();
    for (const args of [{}, { userid: ann.id }, { userid: ann.username }]) {
      const locks = await ann.client.result<Locked[]>('get_locks', args);
      expect(namesOf(locks)).toEqual([first, second]);
      expect(locks[0]).toEqual({ ...record, locked_by: ann.username, locked_date: locked_since });
    }
    await ann.client.result('lock', { repoid: first, locked: false });
    expect(namesOf(await ann.client.result('get_locks'))).toEqual([second]);
  });

  it('E15 returns all locks, or those of one user, to an administrator', async () => {
    const [ann, bob] = [await makeUser(), await makeUser()];
    const [anns, bobs] = [await lockedBy(ann), await lockedBy(bob)];
    const all = await admin.result<Locked[]>('get_locks');
    expect(namesOf(all)).toEqual(expect.arrayContaining([anns, bobs]));
    expect(all.map(({ repo_id }) => repo_id)).toEqual(all.map(({ repo_id }) => repo_id).toSorted((a, b) => a - b));
    expect(await admin.result('get_locks', { userid: bob.username })).toMatchObject([
      { repo_name: bobs, locked_by: bob.username },
    ]);
    expect(await admin.error('get_locks', { userid: 'ghost' })).toBe('user `ghost` does not exist');
  });

  it('refuses the locks of another user', async () => {
    const [ann, bob] = [await makeUser(), await makeUser()];
    await lockedBy(ann);
    for (const userid of [ann.id, ann.username, 'ghost']) {
      expect(await bob.client.error('get_locks', { userid })).toBe('userid is not the same as your user');
    }
    expect(await bob.client.result('get_locks')).toEqual([]);
  });

  it('B10 omits a lock of a repository that the holder may not read any more', async () => {
    const ann = await makeUser();
    const [kept, hidden] = [await lockedBy(ann), await lockedBy(ann)];
    await admin.result('grant_user_permission', { repoid: hidden, userid: ann.id, perm: 'repository.none' });
    expect(namesOf(await ann.client.result('get_locks'))).toEqual([kept]);
    expect(namesOf(await admin.result('get_locks', { userid: ann.id }))).toEqual([kept, hidden]);
  });

  it('B1 shows the password of a remote location only to administrators', async () => {
    const ann = await makeUser();
    const repoid = await lockedBy(ann);
    await admin.result('update_repo', { repoid, clone_uri: 'https://ann:secret@example.com/r' });
    expect(JSON.stringify(await ann.client.result('get_locks'))).not.toContain('secret');
    expect(JSON.stringify(await admin.result('get_locks', { userid: ann.id }))).toContain('secret');
  });

  it('returns pages', async () => {
    const ann = await makeUser();
    const names = [await lockedBy(ann), await lockedBy(ann), await lockedBy(ann)];
    const [first, second] = await ann.client.result<Locked[]>('get_locks', { limit: 2 });
    expect([first?.repo_name, second?.repo_name]).toEqual(names.slice(0, 2));
    const rest = await ann.client.result<Locked[]>('get_locks', { limit: 2, cursor: second?.repo_id });
    expect(namesOf(rest)).toEqual(names.slice(2));
  });
});
