import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findByteFaults } from '../../harness/byte-faults.ts';
import { byForm } from '../../harness/long-form.ts';
import { toolCommand } from '../../harness/tool-command.ts';
import { someFile, uniqueName } from '../../harness/unique-name.ts';
import { runClient, runToEnd } from '../run-client.ts';
import type { MatrixCluster } from './matrix-cluster.ts';
import type { Program } from './programs.ts';

/** What releases of Mercurial print in the same way. */
const template = '{node} {branch} {p1node} {p2node} {bookmarks} {phase} {desc}\\n';
const plain = ['--config=ui.interactive=False', '--config=ui.username=Ann <ann@example.com>'];
const ownHg = toolCommand('TRUNKLINE_HG_COMMAND', 'hg');

/** Returns all changesets, in an order that does not depend on how they came. */
const logOf = async (words: readonly string[], path: string) =>
  (await runToEnd([...words, ...plain, 'log', '-T', template], path)).split('\n').toSorted();

const lines = (text: string) => text.split('\n').filter(Boolean);

/** Returns what tests do with one program. */
function commandsOf({ words }: Program, matrix: () => MatrixCluster) {
  const tryHg = (cwd: string, ...args: string[]) => runClient([...words, ...plain, ...args], cwd);
  const hg = (cwd: string, ...args: string[]) => runToEnd([...words, ...plain, ...args], cwd);

  async function commit(path: string, text: string, ...options: string[]): Promise<string> {
    await writeFile(join(path, someFile), text);
    await hg(path, 'commit', '-q', '-A', '-m', `says ${text}`, ...options);
    return hg(path, 'log', '-r', '.', '-T', '{node}');
  }

  /** Makes a repository, and an empty clone of it that keeps the login. */
  async function makePair() {
    const { makeRepository, freshPath, url } = matrix();
    const [name, path] = [await makeRepository('hg', 'hg-pushed'), freshPath()];
    await hg('/', 'clone', '-q', url(name), path);
    await writeFile(join(path, '.hg/hgrc'), `[paths]\ndefault = ${url(name)}\n`);
    return { name, path, url: url(name) };
  }
  return { tryHg, hg, commit, makePair };
}

/** What every release of Mercurial has to be able to do; each test has a repository of its own. */
export function testHgPulls(program: Program, matrix: () => MatrixCluster): void {
  const { words } = program;
  const { tryHg, hg, commit, makePair } = commandsOf(program, matrix);

  it('clones a part, sees what is missing, and pulls the rest and what has come since', async () => {
    const { freshPath } = matrix();
    const { path, url } = await makePair();
    const first = await commit(path, 'one');
    await hg(path, 'branch', '-q', uniqueName('stable'));
    await commit(path, 'two');
    await hg(path, 'push', '-q', '--new-branch');
    const part = freshPath();
    await hg('/', 'clone', '-q', '-r', first, url, part);
    expect(lines(await hg(part, 'log', '-T', '{node}\n'))).toEqual([first]);
    expect(lines(await hg(part, 'incoming', '-q', '-T', '{desc}\n', url))).toEqual(['says two']);
    await hg(part, 'pull', '-q', url);
    const third = await commit(path, 'three');
    await hg(path, 'push', '-q');
    await hg(part, 'pull', '-q', '-r', third, url);
    expect((await tryHg(part, 'incoming', url)).stdout).toContain('no changes found');
    await hg(part, 'verify', '-q');
    expect(await logOf(words, part)).toEqual(await logOf(words, path));
  });
}

/** Pushes of all kinds by a release of Mercurial, and what others have pushed. */
export function testHgPushes(program: Program, matrix: () => MatrixCluster): void {
  const { words } = program;
  const { tryHg, hg, commit, makePair } = commandsOf(program, matrix);

  it('pushes heads, branches, bookmarks and phases into an empty repository, and clones them', async () => {
    const { sql, cluster, freshPath } = matrix();
    const { name, path, url } = await makePair();
    expect(await hg(path, 'log', '-T', 'x')).toBe('');
    const first = await commit(path, 'one');
    expect(await hg(path, 'outgoing', '-T', '{node}\n', '-q')).toContain(first);
    await hg(path, 'push', '-q');
    expect((await hg(path, 'phase', '-r', '.')).trim()).toBe('0: public');
    await commit(path, 'two');
    await hg(path, 'update', '-q', first);
    await commit(path, 'three');
    expect((await tryHg(path, 'push')).stderr).toContain('push creates new remote head');
    await hg(path, 'push', '-q', '-f');
    await hg(path, 'branch', '-q', uniqueName('feature/x'));
    await commit(path, 'four');
    await commit(path, 'five', '--close-branch');
    await hg(path, 'push', '-q', '--new-branch');
    const kept = uniqueName('kept');
    await hg(path, 'bookmark', '-r', first, kept);
    const pushBookmark = async () => (await tryHg(path, 'push', '-B', kept)).stdout;
    expect(await pushBookmark()).toContain(`exporting bookmark ${kept}`);
    await hg(path, 'bookmark', '-f', '-r', 'tip', kept);
    expect(await pushBookmark()).toContain(`updating bookmark ${kept}`);
    expect((await tryHg(path, 'outgoing')).stdout).toContain('no changes found');

    const copy = freshPath();
    await hg('/', 'clone', '-q', url, copy);
    await hg(copy, 'verify', '-q');
    expect(await logOf(words, copy)).toEqual(await logOf(words, path));
    expect(await hg(copy, 'branches', '--closed', '-T', '{branch} {node} {closed}\n')).toBe(
      await hg(path, 'branches', '--closed', '-T', '{branch} {node} {closed}\n'),
    );
    await hg(path, 'bookmark', '-d', kept);
    expect(await pushBookmark()).toContain(`deleting remote bookmark ${kept}`);
    const listed = await hg('/', 'identify', '--bookmarks', '-r', 'tip', url);
    expect(listed).not.toContain(kept);
    expect(await findByteFaults(sql, cluster.storageRoots, name)).toEqual([]);
  });

  it.each(byForm([400], [800, 5_000]))('pushes %i heads, clones them and adds one', async (heads) => {
    const { makeRepository, freshPath, url: urlOf } = matrix();
    const [name, path, copy] = [await makeRepository('hg', 'heads'), freshPath(), freshPath()];
    const url = urlOf(name);
    await mkdir(path);
    await runToEnd([...words, 'init', '.'], path);
    await hg(path, 'debugbuilddag', `.:r ${'*r '.repeat(heads)}`);
    await hg(path, 'push', '-q', '-f', url);
    await hg('/', 'clone', '-q', '-U', url, copy);
    expect(lines(await hg(copy, 'heads', '-T', '{node}\n'))).toHaveLength(heads);
    const id = await commit(path, 'one more');
    await hg(path, 'push', '-q', '-f', url);
    expect(lines(await hg(copy, 'incoming', '-q', '-T', '{node}\n', url))).toEqual([id]);
    await hg(copy, 'pull', '-q', url);
    await hg(copy, 'verify', '-q');
    expect(await logOf(words, copy)).toEqual(await logOf(words, path));
  });

  it('reads what the Mercurial of this machine has pushed', async () => {
    const { makeRepository, freshPath, url: urlOf } = matrix();
    const [name, path, copy] = [await makeRepository('hg', 'own'), freshPath(), freshPath()];
    await runToEnd([...ownHg, 'init', path], '/');
    await runToEnd([...ownHg, ...plain, 'debugbuilddag', '--mergeable-file', '+3*3/2+2'], path);
    await runToEnd([...ownHg, ...plain, 'push', '-q', '-f', urlOf(name)], path);
    await hg('/', 'clone', '-q', urlOf(name), copy);
    await hg(copy, 'verify', '-q');
    expect(await logOf(words, copy)).toEqual(await logOf(ownHg, path));
  });
}
