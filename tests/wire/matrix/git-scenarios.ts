import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findByteFaults } from '../../harness/byte-faults.ts';
import { byForm } from '../../harness/long-form.ts';
import { mainBranch, mainReference } from '../../harness/unique-name.ts';
import type { GitClient } from './git-client.ts';
import { commitFile, makeWorkTree, objectsOf, ownGit, refsAt } from './git-source.ts';
import type { MatrixCluster } from './matrix-cluster.ts';

/** What every client of git has to be able to do; each test has a repository of its own. */
export function testGitClient(client: GitClient, matrix: () => MatrixCluster): void {
  /** Makes a repository with the commits of a work tree, which the git of this machine has pushed. */
  async function makeFilled() {
    const { makeRepository, freshPath, url } = matrix();
    const [name, source] = [await makeRepository('git', 'read'), freshPath()];
    await makeWorkTree(source);
    await ownGit(source, 'tag', '-a', '-m', 'a tag', 'v1', 'HEAD~1');
    await ownGit(source, 'push', '-q', url(name), mainBranch, `${mainBranch}~2:refs/heads/topic/ü`, 'v1');
    return { source, name, url: url(name) };
  }

  it('clones all objects, and fetches what has come since', async () => {
    const { source, url } = await makeFilled();
    const whole = matrix().freshPath();
    await client.clone(url, whole);
    expect(await objectsOf(whole, '--all')).toEqual(await objectsOf(source, '--all'));
    expect(await ownGit(whole, 'rev-parse', 'HEAD')).toBe(await ownGit(source, 'rev-parse', mainBranch));
    const id = await commitFile(source, 'one more');
    await ownGit(source, 'push', '-q', url, mainBranch, `${mainBranch}:refs/heads/other`);
    await client.fetch(url, whole);
    expect(
      (await ownGit(whole, 'rev-parse', `refs/remotes/origin/${mainBranch}`, 'refs/remotes/origin/other')).trim(),
    ).toBe(`${id}\n${id}`);
    expect(await objectsOf(whole, '--all')).toEqual(await objectsOf(source, '--all'));
    await client.fetch(url, whole);
  });

  it.each(client.depths)('clones %i changeset of the history', async (depth) => {
    const { url } = await makeFilled();
    const path = matrix().freshPath();
    await client.clone(url, path, depth);
    expect(await ownGit(path, 'rev-list', '--count', 'HEAD')).toBe(`${depth}\n`);
  });

  it('clones an empty repository, fills it, and pushes changes of all kinds', async () => {
    const { makeRepository, freshPath, url: urlOf, admin, sql, cluster } = matrix();
    const name = await makeRepository('git', 'pushed');
    const [url, empty, path] = [urlOf(name), freshPath(), freshPath()];
    await client.clone(url, empty);
    expect(await ownGit(empty, 'for-each-ref')).toBe('');
    await makeWorkTree(path, 2);
    const head = async (revision = 'HEAD') => (await ownGit(path, 'rev-parse', revision)).trim();
    const first = await head();
    await client.push(url, path, [`${mainReference}:${mainReference}`]);
    expect(await refsAt(url)).toEqual({ HEAD: first, [mainReference]: first });
    expect(await admin.result('get_repo', { repoid: name })).toMatchObject({ default_branch: mainBranch });

    const second = await commitFile(path, 'second');
    await client.push(url, path, [`${mainReference}:${mainReference}`]);
    expect(await refsAt(url)).toMatchObject({ [mainReference]: second });

    await ownGit(path, 'reset', '-q', '--hard', first);
    const third = await commitFile(path, 'third');
    const isRefused = client.push(url, path, [`${mainReference}:${mainReference}`]).then(
      () => false,
      () => true,
    );
    expect(await isRefused).toBe(true);
    expect(await refsAt(url)).toMatchObject({ [mainReference]: second });
    await client.push(url, path, [`+${mainReference}:${mainReference}`]);
    await ownGit(path, 'tag', '-a', '-m', 'a tag', 'v1');
    await client.push(url, path, ['refs/tags/v1:refs/tags/v1']);
    expect(await refsAt(url)).toMatchObject({ [mainReference]: third, 'refs/tags/v1^{}': third });

    const topics = Array.from(
      { length: client.pushesMany ? byForm(20, 200) : byForm(2, 20) },
      (_, at) => `refs/heads/topic/${at}`,
    );
    for (const topic of topics) await ownGit(path, 'update-ref', topic, third);
    await client.push(
      url,
      path,
      topics.map((topic) => `${topic}:${topic}`),
    );
    const refs = await refsAt(url);
    expect(topics.filter((topic) => refs[topic] !== third)).toEqual([]);
    await client.push(url, path, [...topics.map((topic) => `:${topic}`), ':refs/tags/v1']);
    expect(Object.keys(await refsAt(url))).toEqual(['HEAD', mainReference]);

    await ownGit(path, 'remote', 'add', 'origin', url);
    await client.fetch(url, path);
    const copy = freshPath();
    await client.clone(url, copy);
    expect(await objectsOf(copy, 'HEAD')).toEqual(await objectsOf(path, 'HEAD'));
    expect(await findByteFaults(sql, cluster.storageRoots, name)).toEqual([]);
  });

  it.each(byForm(client.pushesMany ? [1_500_000] : [], [5_000_000]))(
    'pushes %i bytes, and clones them',
    async (size) => {
      const { makeRepository, freshPath, url: urlOf } = matrix();
      const [name, path, copy] = [await makeRepository('git', 'large'), freshPath(), freshPath()];
      await makeWorkTree(path, 1);
      await writeFile(join(path, 'random'), randomBytes(size));
      const id = await commitFile(path, 'with much');
      await client.push(urlOf(name), path, [`${mainReference}:${mainReference}`]);
      await client.clone(urlOf(name), copy);
      expect((await ownGit(copy, 'rev-parse', 'HEAD')).trim()).toBe(id);
      expect(await objectsOf(copy, 'HEAD')).toEqual(await objectsOf(path, 'HEAD'));
    },
  );
}
