import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, hg, makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

const hostile = '<img src=x onerror=alert(1)> "#?%2F.py';
const hostileAddress = hostile.split('/').map(encodeURIComponent).join('/');
const hrefs = (text: string) => [...text.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);

describe.each(repositoryTypes)('history and annotation in %s', (type) => {
  let remote: Remote;
  let visitor: Awaited<ReturnType<typeof makeVisitor>>;
  let name: string;
  const ids: string[] = [];

  beforeAll(async () => {
    visitor = await makeVisitor();
    remote = await makeRemote[type]();
    const run = type === 'git' ? git : hg;
    ids.push(
      await remote.commit(
        { old: '1\n2\n3\n4\n', [hostile]: 'x = 1\n', 'src/a': 'a\n', 'data.bin': 'a\0b' },
        'the <first>',
      ),
    );
    ids.push(await remote.commit({ old: '1\ntwo\n3\n4\n' }, 'the second'));
    await run(remote.directory, 'mv', 'old', 'new name.py');
    ids.push(await remote.commit({}, 'the third'));
    if (type === 'git') await git(remote.directory, 'branch', 'feature/x');
    else await hg(remote.directory, 'bookmark', '-r', '2', 'feature/x');
    await run(remote.directory, 'rm', '-q', 'src/a');
    ids.push(await remote.commit({ other: 'x\n' }, 'the fourth'));
    name = `${uniqueName('group')}/${uniqueName(type)}`;
    await admin.result('create_repo', { repo_name: name, repo_type: type, clone_uri: remote.url, private: true });
    await admin.result('grant_user_permission', { repoid: name, userid: visitor.id, perm: 'repository.read' });
  });
  afterAll(() => remote.close());

  const base = () => `/${encodeURI(name)}`;
  const get = (address: string) => visitor.web.get(`${base()}/${address}`);

  it('a file has its changes, with links to it and to its change in each changeset', async () => {
    const { status, text } = await get('changelog/tip/new%20name.py');
    expect([status, text.match(/the (?:third|second|&lt;first&gt;|fourth)/g)]).toEqual([
      200,
      ['the third', 'the second', 'the &lt;first&gt;'],
    ]);
    expect(text).toContain('renamed from');
    const found = hrefs(text);
    for (const id of ids.slice(0, 2)) expect(found).toContain(`${base()}/files/${id}/old`);
    expect(found).toContain(`${base()}/files/${ids[2]}/new%20name.py`);
    const change = found.find((href) => href.startsWith(`${base()}/changeset/${ids[1]}#`)) ?? '';
    const page = await visitor.web.get(change);
    expect(page.text).toContain(`id="${change.split('#')[1]}"`);
    expect(found).toContain(`${base()}/annotate/tip/new%20name.py`);
  });

  it('a directory has what changed below it, and a path that is not there any more its history', async () => {
    const directory = await get(`changelog/${ids[2]}/src`);
    expect([directory.status, directory.text.includes('the &lt;first&gt;')]).toEqual([200, true]);
    const removed = await get('changelog/tip/src/a');
    expect(removed.text).toContain('does not exist at this revision any more');
    expect(removed.text.match(/the (?:fourth|&lt;first&gt;)/g)).toEqual(['the fourth', 'the &lt;first&gt;']);
    expect(hrefs(removed.text)).not.toContain(`${base()}/files/${ids[3]}/src/a`);
  });

  it('an annotation has the lines beside their changesets, and leads to what was before', async () => {
    const { status, text } = await get('annotate/tip/new%20name.py');
    expect(status).toBe(200);
    expect(text.match(/<div class="annotated /g)).toHaveLength(3);
    expect(text).toMatch(/<span class="line" id="L4"><a href="#L4">4<\/a>/);
    const found = hrefs(text);
    expect(found).toContain(`${base()}/annotate/${ids[0]}/old#L2`);
    const before = await visitor.web.get(`${base()}/annotate/${ids[0]}/old`);
    expect(before.text.match(/<div class="annotated /g)).toHaveLength(1);
    for (const page of ['files', 'changelog', 'raw']) expect(found).toContain(`${base()}/${page}/tip/new%20name.py`);
  });

  it.each([
    ['src', 'This is a directory'],
    ['data.bin', 'This file is binary'],
  ])('there is no annotation of %s, and the page says why', async (path, reason) => {
    const { status, text } = await get(`annotate/${ids[2]}/${path}`);
    expect([status, text.includes(reason)]).toEqual([200, true]);
  });

  it('names are escaped, and names of revisions may have slashes that are not', async () => {
    for (const page of ['changelog', 'annotate']) {
      const { status, text } = await get(`${page}/tip/${hostileAddress}`);
      expect([status, text.includes('<img'), text.includes('&lt;img src=x')]).toEqual([200, false, true]);
      expect((await get(`${page}/feature/x/new%20name.py`)).status).toBe(200);
      expect((await get(`${page}/tip/nothing`)).status).toBe(404);
      expect((await get(`${page}/nothing/new%20name.py`)).status).toBe(404);
    }
  });

  it('B10 pages that were shown before are hidden once the right is revoked, as is a repository that never was', async () => {
    const addresses = ['changelog/tip/new%20name.py', 'annotate/tip/new%20name.py'];
    await admin.result('revoke_user_permission', { repoid: name, userid: visitor.id });
    for (const address of addresses) {
      const [told, expected] = [await get(address), await visitor.web.get(`/no/such/${address}`)];
      expect([told.status, told.text.replaceAll(base().slice(1), 'no/such').replaceAll(name, 'no/such')]).toEqual([
        403,
        expected.text,
      ]);
    }
    await admin.result('grant_user_permission', { repoid: name, userid: visitor.id, perm: 'repository.read' });
    for (const address of addresses) expect((await get(address)).status).toBe(200);
  });
});
