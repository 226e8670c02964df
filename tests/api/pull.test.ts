import { describe, expect, it } from 'vitest';
import { git, isNativeGitFetch, makeGitRemote, makeRemote } from '../harness/remotes.ts';
import { admin, makeRepository, makeUser, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';
import { someFile } from '../harness/unique-name.ts';

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
      expect(asked).toEqual(['GET refs?service=git-upload-pack', 'POST git-upload-pack']);
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
      await git(remote.directory, 'reset', '--quiet', '--hard', 'HEAD~1');
      expect(await pulled()).toBe(true);
      expect(await pulled()).toBe(false);
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
