import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, hg, makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, makeRepository, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';
import { mainBranch } from '../harness/unique-name.ts';
import type { WebClient } from '../harness/web-client.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

const feature = 'feature/x';

describe.each(repositoryTypes)('the default branch on pages of a %s repository', (type) => {
  let remote: Remote;
  let web: WebClient;
  const name = uniqueName(type);
  const main = type === 'git' ? mainBranch : 'default';
  const full = encodeURIComponent(type === 'git' ? `refs/heads/${main}` : `branch:${main}`);

  /** Begins a branch, or goes on with it. */
  async function switchTo(branch: string): Promise<void> {
    const { directory } = remote;
    if (type === 'git') {
      const begin = branch === mainBranch ? [] : ['-C'];
      await git(directory, 'switch', '-q', ...begin, branch);
      return;
    }
    await hg(directory, 'update', '-q', 'default');
    if (branch !== main) await hg(directory, 'branch', '-q', branch);
  }

  beforeAll(async () => {
    ({ web } = await makeVisitor());
    remote = await makeRemote[type]();
    await remote.commit({ 'README.md': '# Of the main branch\n' }, 'on main');
    const args = { repo_name: name, repo_type: type, clone_uri: remote.url, enable_downloads: true };
    await admin.result('create_repo', args);
    await switchTo(feature);
    await remote.commit({ 'README.md': '# Of the feature\n' }, 'on feature');
    await admin.result('pull', { repoid: name });
  });
  afterAll(() => remote.close());

  const show = async (path: string) => (await web.get(`/${encodeURI(name)}${path}`)).text;
  const hrefs = (text: string) => [...text.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);
  const abouts = (text: string) => [...text.matchAll(/<div class="about"><a [^>]*>(.*?)<\/a>/g)].map(([, it]) => it);

  it('is what the summary shows and links to, by its full name', async () => {
    const text = await show('');
    expect(text).toContain('Of the main branch');
    expect(text).not.toContain('Of the feature');
    const base = `/${encodeURI(name)}`;
    expect(hrefs(text)).toContain(`${base}/files/${full}`);
    expect(hrefs(text)).toContain(`${base}/archive/${full}.zip`);
    expect(hrefs(text)).toContain(`${base}/files/${full}/README.md`);
    expect(text).toContain(`<dt>Default branch</dt><dd><a href="${base}/files/${full}">${main}</a></dd>`);
    for (const href of [`files/${full}`, `archive/${full}.zip`, `raw/${full}/README.md`]) {
      expect((await web.get(`${base}/${href}`)).status).toBe(200);
    }
  });

  it('is what the page of files shows, and its name is chosen there', async () => {
    const text = await show('/files');
    expect(text).toContain('on main');
    expect(text).toContain(`aria-current="true">${main}</a>`);
    // Pages that read no bytes link to that page.
    expect(hrefs(await show('/followers'))).toContain(`/${encodeURI(name)}/files`);
    expect(hrefs(await show('/branches'))).toContain(`/${encodeURI(name)}/files/${full}`);
  });

  it('is what the changelog shows, with all branches one click away', async () => {
    const text = await show('/changelog');
    expect(abouts(text)).toEqual(['on main']);
    expect(text).toContain(`<option value="${main}" selected="">${main} (default)</option>`);
    expect(hrefs(text)).toContain(`/${encodeURI(name)}/changelog?branch=`);
    expect(abouts(await show('/changelog?branch='))).toEqual(['on feature', 'on main']);
    expect(abouts(await show(`/changelog?branch=${encodeURIComponent(feature)}`))[0]).toBe('on feature');
  });

  it('is not what `tip` means', async () => {
    expect(await show('/files/tip')).toContain('on feature');
    const { last_changeset: last } = await admin.result<{ last_changeset: { message: string } }>('get_repo', {
      repoid: name,
    });
    expect(last.message.trim()).toBe('on feature');
  });

  it('gives way to what an owner has set', async () => {
    const set = (revision: string) => admin.result('update_repo', { repoid: name, landing_rev: revision });
    await set(`branch:${feature}`);
    expect(await show('')).toContain('Of the feature');
    await set('rev:tip');
    expect(await show('')).toContain('Of the main branch');
  });

  it('stays it whatever is pushed later, and is another one when HEAD or `@` is', async () => {
    await switchTo(main);
    await remote.commit({ 'README.md': '# Of the main branch, later\n' }, 'on main again');
    await admin.result('pull', { repoid: name });
    expect(await show('')).toContain('Of the main branch, later');
    if (type === 'git') await admin.result('update_repo', { repoid: name, default_branch: feature });
    else {
      await hg(remote.directory, 'bookmark', '-r', feature, '@');
      await admin.result('pull', { repoid: name });
    }
    expect(await show('')).toContain('Of the feature');
    const changelog = await show('/changelog');
    expect(abouts(changelog)).toEqual(['on feature', 'on main']);
    expect(changelog).toContain(type === 'git' ? `${feature} (default)` : 'book:@ (default)');
    expect(hrefs(changelog)).toContain(
      `/${encodeURI(name)}/files/${encodeURIComponent(type === 'git' ? `refs/heads/${feature}` : 'book:@')}`,
    );
  });

  it('is none of an empty repository', async () => {
    const empty = await makeRepository(type);
    for (const path of ['', '/files', '/changelog']) {
      const { status, text } = await web.get(`/${encodeURI(empty)}${path}`);
      expect([path, status, text.includes('This repository is empty')]).toEqual([path, 200, true]);
    }
  });
});
