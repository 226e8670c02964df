import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, cluster, makeRepository, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';
import { mainReference, someFile } from '../harness/unique-name.ts';
import type { WebClient } from '../harness/web-client.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

const readme = [
  '# About <this>',
  '',
  '[guide](docs/guide.md) ![logo](logo.png) <script>alert(1)</script> [bad](javascript:alert(1))',
  '[![build: passing](https://ci.example/badge.svg)](https://ci.example) ![](https://ci.example/chart.png)',
].join('\n');

describe.each(repositoryTypes)('the summary of a %s repository', (type) => {
  let remote: Remote;
  let web: WebClient;
  let name: string;
  let id: number;

  beforeAll(async () => {
    ({ web } = await makeVisitor());
    remote = await makeRemote[type]();
    const others = { README: 'plain', 'README.de.md': 'übersetzt', 'README.api.md': 'a part' };
    await remote.commit({ 'README.md': readme, ...others, 'docs/guide.md': 'x' }, 'the first');
    for (let number = 2; number < 12; number += 1) {
      await remote.commit({ [someFile]: String(number) }, `number ${number} <b>\n\nmore of it`);
    }
    name = `${uniqueName('group')}/${uniqueName(type)}`;
    const args = { repo_name: name, repo_type: type, clone_uri: remote.url, enable_downloads: true };
    ({
      repo: { repo_id: id },
    } = await admin.result<{ repo: { repo_id: number } }>('create_repo', args));
  });
  afterAll(() => remote.close());

  const change = (args: Record<string, unknown>) => admin.result('update_repo', { repoid: name, ...args });

  it.each(['', '/summary'])('is shown at %j, and at its permanent address', async (path) => {
    const answers = await Promise.all([name, `_${id}`].map((start) => web.get(`/${start}${path}`)));
    for (const { status, text } of answers) {
      expect(status).toBe(200);
      expect(text).toContain(`<a href="${cluster.baseUrl}/_${id}">`);
    }
  });

  it('shows the files of the root with their last changes, and leads to all changesets', async () => {
    const { text } = await web.get(`/${name}`);
    const rows = text.split('<tr>').filter((part) => part.includes('class="change"'));
    const shown = rows.map((row) => [/">([^<]*)<\/a>/.exec(row)?.[1], /class="change">.*?">([^<]*)</.exec(row)?.[1]]);
    const readmes = ['README', 'README.api.md', 'README.de.md', 'README.md'];
    expect(new Map(shown as [string, string][])).toEqual(
      new Map([
        ...['docs', ...readmes].map((entry) => [entry, 'the first'] as const),
        [someFile, 'number 11 &lt;b&gt;'],
      ]),
    );
    expect(text).toMatch(
      /<header class="last-change">.*?number 11 &lt;b&gt;.*?\/changelog\?branch=">11 changesets<\/a>/s,
    );
    expect(text).not.toContain('more of it');
  });

  it('leads to the files at another revision', async () => {
    const { text } = await web.get(`/${name}`);
    const full = encodeURIComponent(type === 'git' ? mainReference : 'branch:default');
    expect(text).toContain(`<form method="get" action="/${encodeURI(name)}/files/${full}">`);
  });

  it('shows the README as Markdown whose links stay in the repository, without scripts', async () => {
    const { text } = await web.get(`/${name}`);
    expect(text).toMatch(/<h1 id="doc-about">About &lt;this&gt;/);
    const full = encodeURIComponent(type === 'git' ? mainReference : 'branch:default');
    expect(text).toContain(`href="/${encodeURI(name)}/files/${full}/docs/guide.md"`);
    expect(text).toContain(`src="/${encodeURI(name)}/raw/${full}/logo.png"`);
    expect(text).not.toMatch(/<script|href="javascript/);
  });

  it('shows remote images of the README as links with their text', async () => {
    const { text } = await web.get(`/${name}`);
    const links = [...text.matchAll(/href="(https:\/\/ci[^"]*)"[^>]*>(.*?)<\/a>/g)];
    expect(links.map(([, address, shown = '']) => [address, shown.replaceAll(/<[^>]*>/g, '')])).toEqual([
      ['https://ci.example', 'build: passing'],
      ['https://ci.example/chart.png', 'chart.png'],
    ]);
    expect(text).not.toContain('src="https:');
  });

  it('links to archives, which exist, unless downloads are off', async () => {
    const { text } = await web.get(`/${name}`);
    const archives = [...text.matchAll(/href="([^"]*\/archive\/[^"]*)"/g)].map(([, href = '']) => href);
    expect(archives).toHaveLength(4);
    for (const href of archives) expect((await web.get(href)).status).toBe(200);
    await change({ enable_downloads: false });
    expect((await web.get(`/${name}`)).text).not.toContain('/archive/');
  });

  it('shows no README when the landing revision is missing', async () => {
    await change({ landing_rev: 'no/such' });
    const { status, text } = await web.get(`/${name}`);
    expect(status).toBe(200);
    expect(text).toContain(`href="/${encodeURI(name)}/files/no%2Fsuch"`);
    expect(text).toContain('There is no revision “no/such”');
    expect(text).not.toContain('id="readme"');
    await change({ landing_rev: 'tip' });
  });

  it.each([
    ['README.adoc', '= Guide\n\nlink:docs/a.adoc[a]\n'],
    ['README.rst', 'Guide\n=====\n\n`a <docs/a.rst>`_\n'],
  ])('shows %s rendered', async (readmeName, content) => {
    const other = await makeRemote[type]();
    await other.commit({ [readmeName]: content });
    const repo_name = uniqueName(type);
    await admin.result('create_repo', { repo_name, repo_type: type, clone_uri: other.url });
    await other.close();
    const { text } = await web.get(`/${repo_name}`);
    expect(text).toMatch(/<h1[^>]*>Guide</);
    expect(text).toMatch(/href="[^"]*\/files\/[^"/]*\/docs\/a\.(?:adoc|rst)"/);
  });

  it('shows any other README as text', async () => {
    const other = await makeRemote[type]();
    await other.commit({ 'README.org': '<b>*text*</b>\n\u202e' });
    const repo_name = uniqueName(type);
    await admin.result('create_repo', { repo_name, repo_type: type, clone_uri: other.url });
    await other.close();
    const { text } = await web.get(`/${repo_name}`);
    expect(text).toContain('&lt;b&gt;*text*&lt;/b&gt;\n\\u{202E}');
  });

  it('is not found with more path after `summary`', async () => {
    expect((await web.get(`/${name}/summary/more`)).status).toBe(404);
  });

  it('shows that a repository is empty', async () => {
    const empty = await makeRepository(type);
    const { status, text } = await web.get(`/${empty}`);
    expect(status).toBe(200);
    expect(text).toContain('This repository is empty');
  });
});
