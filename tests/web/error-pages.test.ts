import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, makeRepository, repositoryTypes, uniqueName, type TestUser } from '../harness/shared-cluster.ts';
import { someFile } from '../harness/unique-name.ts';
import type { WebAnswer, WebClient } from '../harness/web-client.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

/** Expects the repository's name as the heading, its tabs, and a link back below the error. */
function expectFrame({ text }: WebAnswer, name: string): void {
  expect(text).toContain(`<h1><a href="/${encodeURI(name)}">${name}</a></h1>`);
  expect(text).toMatch(
    new RegExp(`<nav class="tabs" aria-label="Repository"><a href="/${encodeURI(name)}">Summary</a>`),
  );
  expect(text).toContain(`<a href="/${encodeURI(name)}">Back to the summary</a>`);
  expect(text).not.toContain('Internal');
}

const normal = ({ text }: WebAnswer) => text.replaceAll(/value="[^"]*"/g, '');

describe.each(repositoryTypes)('an error page of a %s repository', (type) => {
  let remote: Remote;
  let reader: TestUser & { readonly web: WebClient };
  let web: WebClient;
  let name: string;
  let empty: string;

  beforeAll(async () => {
    reader = await makeVisitor();
    ({ web } = reader);
    remote = await makeRemote[type]();
    await remote.commit({ [someFile]: '1\n' });
    name = uniqueName(type);
    empty = await makeRepository(type);
    await admin.result('create_repo', {
      repo_name: name,
      repo_type: type,
      clone_uri: remote.url,
      enable_downloads: true,
    });
  });
  afterAll(() => remote.close());

  it.each([
    ['files/tip/none', 404, 'There is no such file or directory'],
    ['files/no-such', 404, 'Unknown revision no-such'],
    ['files/%E2%80%AE', 404, 'Unknown revision \\u{202E}'],
    ['raw/tip/none', 404, 'There is no such file or directory'],
    ['changeset/ffffffffffff', 404, 'Unknown revision ffffffffffff'],
    ['changeset-diff/%3Cb%3E', 404, 'Unknown revision &lt;b&gt;'],
    ['archive/no-such.zip', 404, 'Unknown revision no-such'],
    ['archive/tip.rar', 404, 'Unknown archive type'],
    ['changeset/tip?context=x', 400, ''],
    ['summary/more', 404, 'There is nothing at this address.'],
    ['feed/rss/more', 404, 'There is nothing at this address.'],
    ['no/such/page', 404, 'There is nothing at this address.'],
    ['settings', 403, 'Access was denied to this resource.'],
    ['settings/delete', 403, 'Access was denied to this resource.'],
  ])('%s keeps the heading and the tabs', async (path, status, message) => {
    const answer = await web.get(`/${name}/${path}`);
    expect(answer.status).toBe(status);
    expectFrame(answer, name);
    expect(answer.text).toContain(`<p>${message}`);
  });

  it.each([
    ['changeset/tip', 404],
    ['archive/tip.zip', 404],
    [`raw/tip/${encodeURIComponent(someFile)}`, 404],
    [`files/tip/${encodeURIComponent(someFile)}`, 404],
    ['files/other', 404],
  ])('%s keeps them in an empty repository, too', async (path, status) => {
    const answer = await web.get(`/${empty}/${path}`);
    expect(answer.status).toBe(status);
    expectFrame(answer, empty);
  });

  it.each(['', '/files', '/files/tip', '/changelog', '/branches'])(
    'is none at %j of an empty repository',
    async (path) => expect((await web.get(`/${empty}${path}`)).status).toBe(200),
  );

  it('keeps heading and tabs when a form is refused', async () => {
    const { text } = await web.get(`/${name}`);
    const [, csrf_token = ''] = /name="csrf_token" value="([^"]*)"/.exec(text) ?? [];
    const answer = await web.post(`/${name}/changelog`, { csrf_token });
    expect(answer.status).toBe(400);
    expectFrame(answer, name);
  });

  it('keeps them when a form carries no token of the session, with what to do', async () => {
    const page = `/${encodeURI(name)}/forks`;
    const answer = await web.post(page, { csrf_token: 'x'.repeat(40) });
    expect(answer.status).toBe(400);
    expectFrame(answer, name);
    expect(answer.text).toContain('Open the page again, and send the form from there.');
    expect(answer.text).toContain(`<a href="${page}">Open the page again</a>`);
  });

  it('of such a form to a repository that may not be read is that of a missing one', async () => {
    const [hidden, missing] = [uniqueName('hidden'), uniqueName('none')];
    await admin.result('create_repo', { repo_name: hidden, repo_type: type, private: true });
    for (const path of ['', '/forks', '/settings/delete', '/no/such']) {
      const [refused, none] = await Promise.all([
        web.post(`/${hidden}${path}`, { csrf_token: 'x' }),
        web.post(`/${missing}${path}`, { csrf_token: 'x' }),
      ]);
      expect(refused.status).toBe(400);
      const renamed = normal(refused).replaceAll(hidden, missing).replaceAll(encodeURI(hidden), encodeURI(missing));
      expect(renamed).toBe(normal(none));
    }
  });

  it('answers visitors who may not read a repository as if it were missing', async () => {
    const hidden = uniqueName('hidden');
    await admin.result('create_repo', { repo_name: hidden, repo_type: type, private: true });
    for (const path of ['', '/files/tip/none', '/changeset/tip?context=x', '/summary/more', '/no/such', '/settings']) {
      const [answer, missing] = [await web.get(`/${hidden}${path}`), await web.get(`/${uniqueName('none')}${path}`)];
      expect([path, answer.status]).toEqual([path, 403]);
      expect(normal(answer)).toBe(normal(missing));
    }
  });

  it('is plain text for programs', async () => {
    const address = `/${name}/raw/tip/none?api_key=${reader.client.apiKey}`;
    const { status, headers } = await web.get(address);
    expect([status, headers.get('content-type')]).toEqual([403, 'text/plain; charset=utf-8']);
    const feed = await web.get(`/${name}/feed/rss/more?api_key=${reader.client.apiKey}`);
    expect([feed.status, feed.text]).toEqual([404, 'There is nothing at this address.\n']);
  });
});
