import { describe, expect, it } from 'vitest';
import { git, isNativeGitFetch, makeGitRemote, makeRemote } from '../harness/remotes.ts';
import { admin, makeRepository, makeUser, repositoryTypes, sql, uniqueName } from '../harness/shared-cluster.ts';
import { mainBranch, someFile } from '../harness/unique-name.ts';

interface Repo {
  readonly last_changeset: { readonly raw_id: string; readonly revision: number; readonly message: string };
}

describe.each(repositoryTypes)('pull %s', (type) => {
  it('by an administrator: brings new changesets', async () => {
    const remote = await makeRemote[type]();
    try {
      await remote.commit({ [someFile]: '1' });
      const name = uniqueName(type);
      await admin.result('create_repo', { repo_name: name, repo_type: type, clone_uri: remote.url });
      const rawId = await remote.commit({ [someFile]: '2' }, 'the second');
      expect(await admin.result('pull', { repoid: name })).toBe(`Pulled from \`${name}\``);
      const { last_changeset } = await admin.result<Repo>('get_repo', { repoid: name });
      expect(last_changeset).toMatchObject({ raw_id: rawId, revision: 1 });
      expect(last_changeset.message.trim()).toBe('the second');
      expect(await admin.result('pull', { repoid: name })).toBe(`Pulled from \`${name}\``);
    } finally {
      await remote.close();
    }
  });

  it('several pulls of one repository at once run one after the other', async () => {
    const remote = await makeRemote[type]();
    try {
      await remote.commit({ [someFile]: '1' });
      const name = uniqueName(type);
      await admin.result('create_repo', { repo_name: name, repo_type: type, clone_uri: remote.url });
      await remote.commit({ [someFile]: '2' });
      const replies = await Promise.all(Array.from({ length: 5 }, () => admin.result('pull', { repoid: name })));
      expect(new Set(replies)).toEqual(new Set([`Pulled from \`${name}\``]));
    } finally {
      await remote.close();
    }
  });

  it('refuses a repository without a remote location', async () => {
    const name = await makeRepository(type);
    expect(await admin.error('pull', { repoid: name })).toBe(`Unable to pull changes from \`${name}\``);
  });
});

describe('pull git', () => {
  it('runs git fetch only when a ref is new or has changed', async () => {
    const asked: string[] = [];
    const remote = await makeGitRemote({
      intercept: (request) => {
        asked.push(isNativeGitFetch(request) ? 'fetch' : `${request.method} ${request.url?.split('/').at(-1)}`);
        return false;
      },
    });
    const name = uniqueName('git');
    const pulled = async () => {
      asked.length = 0;
      expect(await admin.result('pull', { repoid: name })).toBe(`Pulled from \`${name}\``);
      return asked.includes('fetch');
    };
    try {
      await remote.commit({ [someFile]: '1' });
      await admin.result('create_repo', { repo_name: name, repo_type: 'git', clone_uri: remote.url });
      expect(await pulled()).toBe(false);
      // For branches and for tags.
      expect(new Set(asked)).toEqual(new Set(['GET refs?service=git-upload-pack', 'POST git-upload-pack']));
      expect(asked).toHaveLength(4);
      const rawId = await remote.commit({ [someFile]: '2' });
      expect(await pulled()).toBe(true);
      expect(await admin.result<Repo>('get_repo', { repoid: name })).toMatchObject({
        last_changeset: { raw_id: rawId },
      });
      const other = uniqueName('other');
      await git(remote.directory, 'branch', other);
      expect(await pulled()).toBe(true);
      await git(remote.directory, 'branch', '-D', other);
      expect(await pulled()).toBe(false);
      await git(remote.directory, 'tag', other);
      expect(await pulled()).toBe(true);
      await git(remote.directory, 'tag', '-f', other, 'HEAD~1');
      expect(await pulled()).toBe(false);
      await git(remote.directory, 'reset', '--quiet', '--hard', 'HEAD~1');
      expect(await pulled()).toBe(true);
      expect(await pulled()).toBe(false);
    } finally {
      await remote.close();
    }
  });

  it('brings tags, and prunes what is gone there when asked to; get_operation and the audit log have the numbers', async () => {
    const remote = await makeGitRemote();
    const name = uniqueName('git');
    const pulled = async (args: object = {}) => {
      expect(await admin.result('pull', { repoid: name, ...args })).toBe(`Pulled from \`${name}\``);
      const [row] = await sql<{ id: string }[]>`
        select id from operations where kind = 'pull' and request->>'name' = ${name} order by created_at desc limit 1`;
      const [entry] = await sql`select args from audit_log where request_id = ${row?.id ?? null}`;
      const record = await admin.result<{ pulled: object }>('get_operation', { operation_id: row?.id });
      expect(await admin.result('list_operations', { limit: 100 })).toContainEqual(record);
      expect(entry?.['args']).toEqual({ repoid: name, ...args, pulled: record.pulled });
      return Object.fromEntries(Object.entries(record.pulled).filter(([, count]) => count !== 0));
    };
    const refs = () => admin.result<{ branches: object; tags: object }>('get_repo_refs', { repoid: name });
    try {
      await remote.commit({ [someFile]: '1' });
      for (const branch of ['gone', 'moved']) await git(remote.directory, 'branch', branch);
      for (const tag of ['gone', 'kept']) await git(remote.directory, 'tag', tag);
      await admin.result('create_repo', { repo_name: name, repo_type: 'git', clone_uri: remote.url });
      const before = await refs();
      await remote.commit({ [someFile]: '2' });
      for (const kind of ['branch', 'tag']) await git(remote.directory, kind, '-d', 'gone');
      await git(remote.directory, 'branch', '-f', 'moved');
      await git(remote.directory, 'tag', '-f', 'kept');
      await git(remote.directory, 'tag', '-a', '-m', 'x', 'v1');
      expect(await pulled()).toEqual({ branches_moved: 2, tags_added: 1, tags_kept: 1 });
      const after = await refs();
      expect(Object.keys(after.branches)).toEqual(Object.keys(before.branches));
      expect(after.tags).toMatchObject(before.tags);
      expect(await pulled({ prune: true })).toEqual({ branches_removed: 1, tags_removed: 1, tags_kept: 1 });
      expect(Object.keys((await refs()).branches).toSorted()).toEqual([mainBranch, 'moved'].toSorted());
      expect(Object.keys((await refs()).tags)).toEqual(['kept', 'v1']);
    } finally {
      await remote.close();
    }
  });

  it('that prunes the default branch has another one, and tells clones so', async () => {
    const remote = await makeGitRemote();
    const name = uniqueName('git');
    try {
      await remote.commit({ [someFile]: '1' });
      await admin.result('create_repo', { repo_name: name, repo_type: 'git', clone_uri: remote.url });
      await git(remote.directory, 'branch', '-m', 'renamed');
      await git(remote.directory, 'branch', 'another');
      await admin.result('pull', { repoid: name });
      expect(await admin.result('get_repo', { repoid: name })).toMatchObject({ default_branch: mainBranch });
      await admin.result('pull', { repoid: name, prune: true });
      expect(await admin.result('get_repo', { repoid: name })).toMatchObject({ default_branch: 'renamed' });
    } finally {
      await remote.close();
    }
  });

  it('uses native git when the remote refuses the worker’s own request for its refs', async () => {
    const remote = await makeGitRemote({
      intercept: (request, response) => {
        if (/^git\/\d/.test(request.headers['user-agent'] ?? '') || !closed) return false;
        response.writeHead(500).end();
        return true;
      },
    });
    let closed = false;
    try {
      await remote.commit({ [someFile]: '1' });
      const name = uniqueName('git');
      await admin.result('create_repo', { repo_name: name, repo_type: 'git', clone_uri: remote.url });
      closed = true;
      const rawId = await remote.commit({ [someFile]: '2' });
      expect(await admin.result('pull', { repoid: name })).toBe(`Pulled from \`${name}\``);
      expect(await admin.result('get_repo', { repoid: name })).toMatchObject({ last_changeset: { raw_id: rawId } });
    } finally {
      await remote.close();
    }
  });
});

describe('pull', () => {
  it('reports a missing argument', async () => {
    expect(await admin.error('pull')).toBe('Missing non optional `repoid` arg in JSON DATA');
  });

  it('refuses an unknown repository', async () => {
    expect(await admin.error('pull', { repoid: 'gone' })).toBe('repository `gone` does not exist');
  });

  it('is refused to a regular user, even the owner', async () => {
    const { client, username } = await makeUser();
    const name = await makeRepository('git', { owner: username });
    expect(await client.error('pull', { repoid: name })).toBe('Access was denied to this resource.');
  });
});
