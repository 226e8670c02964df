import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectBytes } from '../collect-bytes.ts';
import {
  allChanges,
  changeFiles,
  changesForMercurial,
  writeFilesBefore,
  type FurtherChanges,
} from './testing/changed-files.ts';
import { git, hg, hgCommand } from './testing/tools.ts';
import { openWorkbench, type Workbench } from './testing/workbench.ts';

const whole = { context: 3, ignoreWhitespace: false, binary: true };

/** A work tree with the changesets root - change - merge, the last with a changeset that adds a binary file on the root. */
interface History {
  readonly directory: string;
  readonly root: string;
  readonly change: string;
  readonly merge: string;
}

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});
afterAll(() => bench.close());

async function makeGit(further: FurtherChanges): Promise<History> {
  const directory = bench.freshPath();
  await mkdir(directory);
  await git(directory, 'init', '-q', '.');
  const commit = async (message: string) => {
    await git(directory, 'add', '-A');
    await git(directory, 'commit', '-q', '-m', message);
    return git(directory, 'rev-parse', 'HEAD');
  };
  await writeFilesBefore(directory, further);
  const root = await commit('root');
  await changeFiles(directory, further);
  const change = await commit('change');
  await git(directory, 'checkout', '-q', root);
  await writeFile(join(directory, 'side'), 'side\0');
  const side = await commit('side');
  await git(directory, 'checkout', '-q', change);
  await git(directory, 'merge', '-q', '-m', 'merge', side);
  return { directory, root, change, merge: await git(directory, 'rev-parse', 'HEAD') };
}

async function makeHg(further: FurtherChanges): Promise<History> {
  const directory = bench.freshPath();
  await mkdir(directory);
  await hg(directory, 'init', '.');
  const commit = async (message: string) => {
    await hg(directory, 'commit', '-q', '-m', message, '-u', 'Ann', '-d', '0 0');
    return hg(directory, 'log', '-r', '.', '-T', '{node}');
  };
  await writeFilesBefore(directory, further);
  await hg(directory, 'addremove', '-q');
  const root = await commit('root');
  await changeFiles(directory, further);
  await hg(directory, 'addremove', '-q', '-s', '90');
  await hg(directory, 'copy', '--after', '-q', 'copied', 'copied to');
  const change = await commit('change');
  await hg(directory, 'update', '-q', root);
  await writeFile(join(directory, 'side'), 'side\0');
  await hg(directory, 'add', '-q', 'side');
  const side = await commit('side');
  await hg(directory, 'update', '-q', change);
  await hg(directory, 'merge', '-q', side);
  return { directory, root, change, merge: await commit('merge') };
}

const pathIn = { git: '.git', hg: '' };

async function saved(type: 'git' | 'hg', view: 'diff' | 'patch', { directory }: History, rawId: string) {
  const file = bench.freshPath();
  const from = join(directory, pathIn[type]);
  await writeFile(file, await collectBytes(bench.backends[type][view](from, rawId, whole)));
  return file;
}

/** Returns the tree that `git apply` makes of a commit, or of nothing for null. */
async function treeAfterGitApply(history: History, before: string | null, file: string): Promise<string> {
  const tree = bench.freshPath();
  await git('/', 'clone', '-q', '--no-checkout', history.directory, tree);
  await (before === null ? git(tree, 'read-tree', '--empty') : git(tree, 'reset', '-q', '--hard', before));
  await git(tree, 'apply', '--index', '--whitespace=nowarn', file);
  return git(tree, 'write-tree');
}

const stages = [
  ['root', null],
  ['change', 'root'],
  ['merge', 'change'],
] as const;

describe.each(['git', 'hg'] as const)('the diff of a changeset of %s', (type) => {
  let oracle: History;
  let history: History;
  beforeAll(async () => {
    oracle = await makeGit(allChanges);
    history = type === 'git' ? oracle : await makeHg(allChanges);
  });

  it.each(stages)('makes the tree of the %s when git applies it', async (stage, parent) => {
    const file = await saved(type, 'diff', history, history[stage]);
    const made = await treeAfterGitApply(oracle, parent && oracle[parent], file);
    expect(made).toBe(await git(oracle.directory, 'rev-parse', `${oracle[stage]}^{tree}`));
  });
});

it.each(['git', 'hg'] as const)('hg import makes the files of a changeset from its diff, of %s', async (type) => {
  const further = type === 'hg' ? allChanges : changesForMercurial;
  const mercurial = await makeHg(further);
  const history = type === 'hg' ? mercurial : await makeGit(further);
  const file = await saved(type, 'diff', history, history.change);
  const clone = bench.freshPath();
  await hg('/', 'clone', '-q', '-r', mercurial.root, mercurial.directory, clone);
  await hg(clone, 'import', '-q', '-m', 'imported', file);
  const imported = await hg(clone, 'log', '-r', '.', '-T', '{node}');
  await hg(clone, 'pull', '-q', mercurial.directory);
  expect(await hg(clone, 'diff', '--git', '-r', imported, '-r', mercurial.change)).toBe('');
});

describe('the patch of a changeset', () => {
  it('of hg makes the changeset when hg imports it', async () => {
    const history = await makeHg(allChanges);
    const clone = bench.freshPath();
    await hg('/', 'init', clone);
    await hg(clone, 'import', '-q', '--exact', await saved('hg', 'patch', history, history.root));
    await hg(clone, 'import', '-q', '--exact', await saved('hg', 'patch', history, history.change));
    expect(await hg(clone, 'log', '-r', '.', '-T', '{node}')).toBe(history.change);
  });

  it.each(stages)('of git makes the tree of the %s when git takes it as a mail', async (stage, parent) => {
    const history = await makeGit(allChanges);
    const tree = bench.freshPath();
    await git('/', 'clone', '-q', '--no-checkout', history.directory, tree);
    if (parent === null) await git(tree, 'checkout', '-q', '--orphan', 'new', history.root);
    else await git(tree, 'reset', '-q', '--hard', history[parent]);
    if (parent === null) await git(tree, 'rm', '-q', '-r', '-f', '.');
    await git(tree, 'am', '-q', '--keep-cr', await saved('git', 'patch', history, history[stage]));
    expect(await git(tree, 'rev-parse', 'HEAD^{tree}')).toBe(
      await git(history.directory, 'rev-parse', `${history[stage]}^{tree}`),
    );
  });
});

describe('no configuration changes a diff, a patch or counts of lines', () => {
  const sentOf = async ({ git: one, hg: other }: Workbench['backends'], type: 'git' | 'hg', history: History) => {
    const backend = { git: one, hg: other }[type];
    const from = join(history.directory, pathIn[type]);
    const views = [backend.diff(from, history.change, whole), backend.patch(from, history.change, whole)];
    const texts = await Promise.all(views.map(async (view) => String(await collectBytes(view))));
    return [...texts, await backend.fileStats(from, [history.change], 100)];
  };

  it('of a git repository, nor its attributes', async () => {
    const history = await makeGit(allChanges);
    const before = await sentOf(bench.backends, 'git', history);
    const set = (key: string, value: string) => git(history.directory, 'config', key, value);
    for (const key of ['noprefix', 'mnemonicPrefix', 'suppressBlankEmpty']) await set(`diff.${key}`, 'true');
    for (const key of ['attach', 'signOff', 'thread', 'coverLetter']) await set(`format.${key}`, 'true');
    await set('format.headers', 'X-Added: 1');
    await set('diff.external', 'false');
    await set('diff.algorithm', 'patience');
    await set('diff.interHunkContext', '9');
    await set('diff.submodule', 'log');
    await set('diff.x.textconv', 'false');
    await set('diff.x.xfuncname', '^.');
    await set('core.abbrev', '4');
    const attributes = '* diff=x\n*.txt -diff\ncrlf binary\nbinary diff\n';
    await writeFile(join(history.directory, '.git/info/attributes'), attributes);
    expect(await sentOf(bench.backends, 'git', history)).toEqual(before);
  });

  it('with which an operator starts Mercurial', async () => {
    const history = await makeHg(allChanges);
    const before = await sentOf(bench.backends, 'hg', history);
    const flags = ['git', 'noprefix', 'nobinary', 'nodates', 'showfunc', 'ignorews', 'ignoreblanklines', 'word-diff'];
    const settings = [...flags.map((flag) => `diff.${flag}=True`), 'diff.unified=0', 'diff.ignorewseol=True'];
    const own = ['experimental.extendedheader.index=short', 'experimental.extendedheader.similarity=True'];
    const words = [...settings, ...own].map((setting) => `--config=${setting}`);
    const backends = await bench.open({ hgCommand: [...hgCommand, ...words] });
    expect(await sentOf(backends, 'hg', history)).toEqual(before);
  });
});
