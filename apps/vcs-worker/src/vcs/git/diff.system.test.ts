import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { VcsContent } from '../content.ts';
import { collectBytes } from '../../collect-bytes.ts';
import { fastImport } from '../testing/feed-git.ts';
import { commit, file, makeOddHistory } from '../testing/odd-git.ts';
import { commandLines } from '../testing/processes.ts';
import { git } from '../testing/tools.ts';
import { openWorkbench, type Workbench } from '../testing/workbench.ts';

const plain = { context: 3, ignoreWhitespace: false, binary: false };
let bench: Workbench;
let content: VcsContent;
let path = '';
let ids: Awaited<ReturnType<typeof makeOddHistory>>;

beforeAll(async () => {
  bench = await openWorkbench();
  content = bench.backends.git;
  path = await bare();
  ids = await makeOddHistory(path);
});
afterAll(() => bench.close());

async function bare(): Promise<string> {
  const repository = bench.freshPath();
  await bench.backends.git.init(repository, 'uuid');
  return repository;
}

async function imported(...commits: readonly string[]): Promise<{ repository: string; rawId: string }> {
  const repository = await bare();
  await fastImport(repository, commits.join(''));
  return { repository, rawId: await git(repository, 'rev-parse', 'main') };
}

/** Creates a repository with a work tree: the odd history checked out at a commit, or empty for null. */
async function workTreeAt(rawId: string | null): Promise<string> {
  const repository = bench.freshPath();
  await mkdir(repository);
  await git(repository, 'init', '-q', '.');
  if (rawId === null) return repository;
  await git(repository, 'fetch', '-q', path, 'main');
  await git(repository, 'checkout', '-q', rawId);
  return repository;
}

async function diff(rawId: string, options = plain): Promise<string> {
  return (await collectBytes(content.diff(path, rawId, options))).toString();
}

async function savedPatch(rawId: string): Promise<string> {
  const patch = bench.freshPath();
  await writeFile(patch, await collectBytes(content.patch(path, rawId, plain)));
  return patch;
}

describe('patch', () => {
  it.each(['root', 'change', 'empty'] as const)('git am recreates the commit %s with the same id', async (which) => {
    const parent = (await git(path, 'log', '-1', '--format=%P', ids[which])) || null;
    const tree = await workTreeAt(parent);
    const am = ['am', '-q', '--keep-non-patch', '--committer-date-is-author-date', '--empty=keep'];
    await git(tree, ...am, await savedPatch(ids[which]));
    expect(await git(tree, 'rev-parse', 'HEAD')).toBe(ids[which]);
  });

  it('git am recreates the tree and message of a merge on its first parent', async () => {
    const tree = await workTreeAt(`${ids.merge}^1`);
    await git(tree, 'am', '-q', await savedPatch(ids.merge));
    const facts = (cwd: string, id: string) => git(cwd, 'log', '-1', '--format=%T%n%an%n%ae%n%at%n%B', id);
    expect(await facts(tree, 'HEAD')).toBe(await facts(path, ids.merge));
  });

  it('is one mail without git’s version', async () => {
    for (const rawId of Object.values(ids)) {
      const text = (await collectBytes(content.patch(path, rawId, plain))).toString();
      expect(text.startsWith(`From ${rawId} Mon Sep 17 00:00:00 2001\nFrom: `)).toBe(true);
      expect(text.match(/^From [0-9a-f]{40} /gm)).toHaveLength(1);
      expect(text).toMatch(/^Subject: \[PATCH\] /m);
      expect(text).not.toMatch(/^2\.\d+/m);
    }
  });

  it('neither author nor subject can add a header', async () => {
    const author = '"Eve" Bcc: x, =?UTF-8?q?=0ABcc:=20y?= <eve@x>';
    const message = `Subject: one\nBcc: two\n\nbody\n`;
    const { repository, rawId } = await imported(commit({ mark: 1, parents: [], author, message }, [file('a', '1')]));
    const text = (await collectBytes(content.patch(repository, rawId, plain))).toString();
    const head = text.slice(0, text.indexOf('\n\n'));
    const names = head.split('\n').map((line) => /^(From |[A-Za-z-]+:|[ \t])/.exec(line)?.[0]);
    const mime = names.filter((name) => /^(MIME|Content)/.test(name ?? ''));
    expect(names.filter((name) => name !== ' ' && !mime.includes(name))).toEqual([
      'From ',
      'From:',
      'Date:',
      'Subject:',
    ]);
  });
});

describe('diff', () => {
  it('equals the output of git show, and for a merge of git diff against its first parent', async () => {
    const names = ['-c', 'core.quotePath=false'];
    for (const rawId of [ids.root, ids.change, ids.empty]) {
      expect((await diff(rawId)).trim()).toBe(await git(path, ...names, 'show', '--format=', '-M', rawId));
    }
    expect(await diff(ids.merge)).toBe(`${await git(path, ...names, 'diff', '-M', `${ids.merge}^1`, ids.merge)}\n`);
    expect(await diff(ids.empty)).toBe('');
  });

  it('shows renames, and of binary files only that they differ', async () => {
    const text = await diff(ids.change);
    expect(text).toContain('\nrename from "quo\\"te"\nrename to re named\n');
    expect(text).toContain('\nBinary files a/binary and b/binary differ\n');
  });

  it('shows the names of files in the letters that they have', async () => {
    const name = 'プロ/ü𐐷 עברית.txt';
    const { repository, rawId } = await imported(commit({ mark: 1, parents: [] }, [file(name, 'x\n')]));
    for (const bytes of [content.diff(repository, rawId, plain), content.patch(repository, rawId, plain)]) {
      expect((await collectBytes(bytes)).toString()).toMatch(new RegExp(`^diff --git a/${name} b/${name}$`, 'm'));
    }
  });

  it('obeys the number of context lines and ignores white space when asked', async () => {
    const wide = await diff(ids.change, { ...plain, context: 50 });
    expect(wide.split('\n').filter((line) => line.startsWith(' line '))).toHaveLength(39);
    const none = await diff(ids.change, { ...plain, context: 0, ignoreWhitespace: true });
    expect(none).toContain('@@ -21 +21 @@');
    expect(none).not.toContain('no newline');
    expect(wide).toContain('no newline');
  });

  it('D9 returns the whole diff of a commit of 10 000 files', async () => {
    const files = Array.from({ length: 10_000 }, (_, number) => file(`d${number % 100}/${number}`, `${number}\n`));
    const { repository, rawId } = await imported(commit({ mark: 1, parents: [] }, files));
    const text = (await collectBytes(content.diff(repository, rawId, plain))).toString();
    expect(text.match(/^diff --git /gm)).toHaveLength(10_000);
  });

  it('D12 leaves no process when the reader stops, and does not compare a large file by lines', async () => {
    const text = 'line\n'.repeat(2_000_000);
    const { repository, rawId } = await imported(
      commit({ mark: 1, parents: [] }, [file('text', text), file('large', 'x'.repeat(34_000_000))]),
      commit({ mark: 2, parents: [1] }, [file('text', `${text}\n`), file('large', 'y'.repeat(34_000_000))]),
    );
    const running = async () =>
      [...(await commandLines()).values()].filter(
        (line) => line.includes(`${repository}\0`) && line.includes('diff-tree'),
      );
    for await (const chunk of content.diff(repository, await git(repository, 'rev-parse', 'main^'), plain)) {
      expect(chunk.toString()).toContain('Binary files /dev/null and b/large differ');
      expect(await running()).toHaveLength(1);
      break;
    }
    await vi.waitFor(async () => expect(await running()).toEqual([]), { timeout: 20_000 });
    expect((await collectBytes(content.diff(repository, rawId, plain))).toString()).toContain(
      'Binary files a/large and b/large',
    );
  });

  it('C4 diff and filter programs that an adopted repository configures do not run', async () => {
    const mark = join(bench.directory, 'ran');
    const { repository, rawId } = await imported(
      commit({ mark: 1, parents: [] }, [file('a', '1\n'), file('.gitattributes', '* diff=x filter=x\n')]),
      commit({ mark: 2, parents: [1] }, [file('a', '2\n')]),
    );
    await mkdir(join(repository, 'info'), { recursive: true });
    await writeFile(join(repository, 'info/attributes'), '* diff=x filter=x\n');
    for (const key of ['diff.x.command', 'diff.x.textconv', 'diff.external', 'filter.x.smudge', 'tar.tar.command']) {
      await git(repository, 'config', key, `touch ${mark}; cat`);
    }
    await bench.backends.git.replaceConfiguration(repository, 'uuid');
    await collectBytes(content.diff(repository, rawId, plain));
    await collectBytes(content.patch(repository, rawId, plain));
    await collectBytes(content.archive(repository, rawId, { format: 'tar', prefix: 'x', subrepos: false }));
    await content.fileStats(repository, [rawId], 10);
    await expect(readFile(mark)).rejects.toThrow('ENOENT');
  });
});
