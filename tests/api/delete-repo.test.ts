import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  admin,
  makeRepository,
  makeUser,
  repositoryTypes,
  sql,
  uniqueName,
  storagePathOf,
} from '../harness/shared-cluster.ts';

async function makeFork(of: string): Promise<string> {
  const name = uniqueName('fork');
  await admin.result('fork_repo', { repoid: of, fork_name: name });
  return name;
}

describe.each(repositoryTypes)('delete_repo %s', (type) => {
  it('by an administrator: deletes the repository, its name and its bytes', async () => {
    const name = await makeRepository(type);
    const path = await storagePathOf(name);
    expect(await admin.result('delete_repo', { repoid: name })).toEqual({
      msg: `Deleted repository \`${name}\``,
      success: true,
    });
    expect(existsSync(path)).toBe(false);
    expect(await admin.result('get_repo', { repoid: name })).toBeNull();
    await admin.result('create_repo', { repo_name: name, repo_type: type });
  });
});

describe('delete_repo', () => {
  it('is allowed to the owner, and to users with admin on the repository', async () => {
    const owner = await makeUser();
    const helper = await makeUser();
    const own = await makeRepository('hg', { owner: owner.username });
    await owner.client.result('delete_repo', { repoid: own });
    const helped = await makeRepository('hg', { owner: owner.username });
    await sql`insert into user_repository_permissions (user_id, repository_id, level) select ${helper.id}, id, 4 from repositories where name = ${helped}`;
    await helper.client.result('delete_repo', { repoid: helped });
    expect(await admin.result('get_repo', { repoid: helped })).toBeNull();
  });

  it('B10 without permission the repository is answered as missing', async () => {
    const { client, id } = await makeUser();
    const name = await makeRepository('hg');
    await sql`insert into user_repository_permissions (user_id, repository_id, level) select ${id}, id, 3 from repositories where name = ${name}`;
    expect(await client.error('delete_repo', { repoid: name })).toBe(`repository \`${name}\` does not exist`);
    expect(await client.error('delete_repo', { repoid: 'gone' })).toBe('repository `gone` does not exist');
    expect(await admin.result('get_repo', { repoid: name })).not.toBeNull();
  });

  it('refuses a repository with forks', async () => {
    const name = await makeRepository('git');
    await makeFork(name);
    for (const forks of [undefined, null, '']) {
      expect(await admin.error('delete_repo', { repoid: name, forks })).toBe(
        `Cannot delete \`${name}\` it still contains attached forks`,
      );
    }
    expect(await admin.result('get_repo', { repoid: name })).not.toBeNull();
  });

  it('forks=detach: keeps the forks, which have no source any more', async () => {
    const name = await makeRepository('git');
    const fork = await makeFork(name);
    expect(await admin.result('get_repo', { repoid: fork })).toMatchObject({ fork_of: name });
    expect(await admin.result('delete_repo', { repoid: name, forks: 'detach' })).toEqual({
      msg: `Deleted repository \`${name}\` Detached 1 forks`,
      success: true,
    });
    expect(await admin.result('get_repo', { repoid: fork })).toMatchObject({ fork_of: null });
  });

  it('forks=delete: deletes forks of forks too, and counts the direct ones', async () => {
    const name = await makeRepository('git');
    const forks = [await makeFork(name), await makeFork(name)];
    const grandchild = await makeFork(forks[0] ?? '');
    expect(await admin.result('delete_repo', { repoid: name, forks: 'delete' })).toEqual({
      msg: `Deleted repository \`${name}\` Deleted 2 forks`,
      success: true,
    });
    for (const gone of [name, grandchild, ...forks])
      expect(await admin.result('get_repo', { repoid: gone })).toBeNull();
  });

  it('accepts the argument forks for a repository without forks', async () => {
    const name = await makeRepository('hg');
    expect(await admin.result('delete_repo', { repoid: name, forks: 'delete' })).toEqual({
      msg: `Deleted repository \`${name}\` Deleted 0 forks`,
      success: true,
    });
  });

  it('refuses a wrong value of forks', async () => {
    const name = await makeRepository('hg');
    for (const forks of ['remove', 7]) {
      expect(await admin.error('delete_repo', { repoid: name, forks })).toMatch(/^Invalid value for `forks`: /);
    }
  });

  it('deletes once in concurrent calls; for the others the repository does not exist', async () => {
    const name = await makeRepository('git');
    const replies = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => admin.call('delete_repo', { repoid: name })));
    const missing = `repository \`${name}\` does not exist`;
    expect(replies.map(({ error }) => error ?? '').toSorted()).toEqual([
      '',
      ...Array.from({ length: 7 }, () => missing),
    ]);
  });

  it('reports a missing argument', async () => {
    expect(await admin.error('delete_repo')).toBe('Missing non optional `repoid` arg in JSON DATA');
  });

  it('refuses an unknown repository', async () => {
    expect(await admin.error('delete_repo', { repoid: 'gone' })).toBe('repository `gone` does not exist');
  });
});
