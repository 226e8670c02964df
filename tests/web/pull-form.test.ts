import { expect, it } from 'vitest';
import { git, makeGitRemote } from '../harness/remotes.ts';
import { admin, uniqueName } from '../harness/shared-cluster.ts';
import { makeVisitor } from '../harness/web-visitor.ts';
import { someFile } from '../harness/unique-name.ts';

it('a pull prunes when its box is checked, and the page Operations says what has changed', async () => {
  const { web } = await makeVisitor({ admin: true });
  const remote = await makeGitRemote();
  try {
    await remote.commit({ [someFile]: '1' });
    for (const branch of ['gone', 'moved']) await git(remote.directory, 'branch', branch);
    const name = uniqueName('pulled');
    await admin.result('create_repo', { repo_name: name, repo_type: 'git', clone_uri: remote.url });
    await remote.commit({ [someFile]: '2' });
    await git(remote.directory, 'branch', '-D', 'gone');
    await git(remote.directory, 'branch', '-f', 'moved');
    await git(remote.directory, 'tag', 'v1');
    const path = `/${name}/settings/maintenance`;
    const pull = async (fields: Record<string, string>) => {
      expect((await web.submit(path, path, { act: 'pull', ...fields })).status).toBe(303);
      const { text } = await web.get('/_admin/operations');
      const [, ofPull = ''] = text.split(`>${name}<`);
      return /<p>([^<]*(?:branch|tag)[^<]*)<\/p>/.exec(ofPull)?.[1];
    };
    expect(await pull({})).toBe('2 changed branches, 1 new tag');
    expect(await pull({ prune: 'true' })).toBe('1 removed branch');
    expect(await pull({})).toBe('no branch or tag has changed');
    expect((await web.get('/_admin/audit_log')).text).toContain('&quot;branches_removed&quot;:1');
  } finally {
    await remote.close();
  }
});
