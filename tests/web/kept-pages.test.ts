import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';
import type { WebClient } from '../harness/web-client.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

const kept = 'private, no-cache';

describe.each(repositoryTypes)('pages of a %s repository', (type) => {
  let remote: Remote;
  let visitor: Awaited<ReturnType<typeof makeVisitor>>;
  let web: WebClient;
  let name = '';

  beforeAll(async () => {
    visitor = await makeVisitor();
    ({ web } = visitor);
    remote = await makeRemote[type]();
    await remote.commit({ 'README.md': '# Words\n', 'words.txt': 'some words\n'.repeat(200) }, 'the first');
    name = uniqueName(type);
    await admin.result('create_repo', { repo_name: name, repo_type: type, clone_uri: remote.url, private: true });
    await admin.result('grant_user_permission', { repoid: name, userid: visitor.id, perm: 'repository.read' });
  });
  afterAll(async () => remote.close());

  const get = (path: string, headers: Record<string, string> = {}) => web.get(`/${encodeURI(name)}${path}`, headers);

  it.each(['', '/files/tip', '/files/tip/words.txt', '/changelog', '/changeset/tip', '/branches', '/tags'])(
    '%s is kept by browsers, and asked for each time',
    async (path) => {
      const askTwice = async () => {
        const { status, headers } = await get(path);
        expect([status, headers.get('cache-control')]).toEqual([200, kept]);
        return get(path, { 'if-none-match': headers.get('etag') ?? '' });
      };
      // An age on the page may have changed between the two.
      const again = await eventually(askTwice, ({ status }) => status === 304);
      expect([again.text, again.headers.get('cache-control')]).toEqual(['', kept]);
    },
  );

  it.each(['/forks', '/followers', '/files/tip/none', '/changeset/ffffffffffff'])(
    '%s is kept nowhere',
    async (path) => {
      const { headers } = await get(path);
      expect([headers.get('cache-control'), headers.get('etag')]).toEqual(['no-store', null]);
    },
  );

  it('a page with a notice is kept nowhere', async () => {
    const page = `/${encodeURI(name)}/files/tip`;
    expect((await web.submit(page, '/_admin/toggle_following', {})).status).toBe(303);
    const noticed = await web.get(page);
    expect(noticed.text).toContain(`You now follow ${name}.`);
    expect([noticed.headers.get('cache-control'), noticed.headers.get('etag')]).toEqual(['no-store', null]);
    const { text, headers } = await web.get(page);
    expect([text.includes('You now follow'), headers.get('cache-control')]).toEqual([false, kept]);
  });

  it('a page is sent compressed, unless others may have written what is on it', async () => {
    const encodingOf = async (path: string) => (await get(path, { 'accept-encoding': 'gzip' })).headers;
    const headers = await encodingOf('/files/tip/words.txt');
    expect([headers.get('content-encoding'), headers.get('vary')]).toEqual(['gzip', 'Accept-Encoding']);
    expect((await encodingOf('/files/tip/words.txt?x=y')).get('content-encoding')).toBeNull();
    const { text } = await get('/files/tip/words.txt', { 'accept-encoding': 'gzip' });
    expect(text).toBe((await get('/files/tip/words.txt', { 'accept-encoding': 'identity' })).text);
  });

  it('a page that was kept is refused as soon as the right is revoked', async () => {
    const etag = (await get('/files/tip/words.txt')).headers.get('etag') ?? '';
    await admin.result('revoke_user_permission', { repoid: name, userid: visitor.id });
    expect((await get('/files/tip/words.txt', { 'if-none-match': etag })).status).toBe(403);
  });
});
