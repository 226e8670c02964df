import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, hg, makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, repositoryTypes, uniqueName, type RepositoryType } from '../harness/shared-cluster.ts';
import type { WebClient } from '../harness/web-client.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

const [short, long] = ['feature', 'feature/x'];
const contentOf = (name: string) => ({ f: `f of ${name}\n`, 'x/f': `x/f of ${name}\n` });

/** Commits with a name; git has no branch below another one, so that there one of both is a tag. */
const commitNamed: Record<RepositoryType, (remote: Remote, name: string) => Promise<string>> = {
  async git({ directory, commit }, name) {
    const id = await commit({ ...contentOf(name), ...(name === short && { 'x/only': '1\n' }) });
    await git(directory, 'update-ref', `refs/${name === short ? 'heads' : 'tags'}/${name}`, id);
    await git(directory, 'rm', '-q', '--ignore-unmatch', 'x/only');
    return id;
  },
  async hg({ directory, commit }, name) {
    await hg(directory, 'branch', '-q', name);
    const id = await commit({ ...contentOf(name), ...(name === short && { 'x/only': '1\n' }) });
    if (name === short) await hg(directory, 'remove', 'x/only');
    return id;
  },
};

const full = {
  git: { [short]: `refs/heads/${short}`, [long]: `refs/tags/${long}` },
  hg: { [short]: `branch:${short}`, [long]: `branch:${long}` },
};

const cases = repositoryTypes.flatMap((type) => [[type, [short, long]] as const, [type, [long, short]] as const]);

describe.each(cases)('addresses of a %s repository with the names %j, made in this order', (type, names) => {
  let remote: Remote;
  let web: WebClient;
  const ids: Record<string, string> = {};
  const name = uniqueName(type);

  beforeAll(async () => {
    ({ web } = await makeVisitor());
    remote = await makeRemote[type]();
    for (const one of names) ids[one] = await commitNamed[type](remote, one);
    await admin.result('create_repo', {
      repo_name: name,
      repo_type: type,
      clone_uri: remote.url,
      enable_downloads: true,
    });
  });
  afterAll(() => remote.close());

  const shownAt = async (path: string) => {
    const { text } = await web.get(`/${name}/files/${path}`);
    return /class="(?:changeset-line"><a [^>]*|about" )href="[^"]*\/changeset\/([0-9a-f]{40})"/.exec(text)?.[1];
  };
  const raw = async (path: string) => (await web.get(`/${name}/raw/${path}`)).text;

  it.each(['feature/x/f', 'feature%2Fx/f'])('%s is the file of the longest name', async (path) => {
    expect([await raw(path), await shownAt(path)]).toEqual([`f of ${long}\n`, ids[long]]);
  });

  it('the shorter one is shown where an address says so, and where the longer one has no such file', async () => {
    const named = encodeURIComponent(full[type][short] ?? '');
    expect(await raw(`${named}/x/f`)).toBe(`x/f of ${short}\n`);
    expect(await shownAt(`${named}/x/f`)).toBe(ids[short]);
    expect([await raw('feature/x/only'), await shownAt('feature/x/only')]).toEqual(['1\n', ids[short]]);
    expect([await shownAt('feature'), await shownAt('feature/f'), await shownAt('feature/x')]).toEqual([
      ids[short],
      ids[short],
      ids[long],
    ]);
    expect((await web.get(`/${name}/raw/feature/x/none`)).status).toBe(404);
  });

  it('the links of a page stay at its own name', async () => {
    const { text } = await web.get(`/${name}/files/feature`);
    const base = `/${encodeURI(name)}/files`;
    expect(text).toContain(`href="${base}/${encodeURIComponent(full[type][short] ?? '')}/x"`);
    expect(text).not.toContain(`href="${base}/feature/x"`);
  });

  it.each([
    ['feature.zip', short],
    ['feature/x.zip', long],
    ['feature%2Fx.zip', long],
  ])('%s is the archive of %s', async (path, one) => {
    const { headers } = await web.get(`/${name}/archive/${path}`);
    expect(headers.get('content-disposition')).toContain(ids[one]?.slice(0, 12));
  });
});
