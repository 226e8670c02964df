import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findByteFaults } from '../harness/byte-faults.ts';
import { git as ownGit } from '../harness/remotes.ts';
import { admin, cluster, sql, storagePathOf, uniqueName } from '../harness/shared-cluster.ts';
import { mainBranch, mainReference, someFile } from '../harness/unique-name.ts';
import { feed, tipOf } from './pushed.ts';
import { runGit, storageNames } from './vcs-cluster.ts';

let directory = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-pushes-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Makes a repository, and an empty work tree whose remote it is. */
async function makePair(storage = 'default') {
  const name = uniqueName('pushed');
  await admin.result('create_repo', { repo_name: name, repo_type: 'git', storage });
  const path = join(directory, name);
  await ownGit(directory, 'init', '-q', '-b', mainBranch, path);
  const { host } = new URL(cluster.baseUrl);
  await ownGit(path, 'remote', 'add', 'origin', `http://api-key:${admin.apiKey}@${host}/${name}`);
  return { name, path };
}

async function commit(path: string, text: string): Promise<string> {
  await writeFile(join(path, someFile), text);
  await ownGit(path, 'add', '-A');
  await ownGit(path, 'commit', '-q', '-m', `says ${text.slice(0, 20)}`);
  return (await ownGit(path, 'rev-parse', 'HEAD')).trim();
}

const push = (path: string, ...args: string[]) => runGit(path, ['push', 'origin', ...args]);

const refsOf = async (path: string) => {
  const lines = (await ownGit(path, 'ls-remote', 'origin')).split('\n').filter(Boolean);
  return Object.fromEntries(lines.map((line) => line.split('\t').toReversed()));
};

const auditOf = (name: string) => sql`
  select outcome, error, args, actor from audit_log where method = 'push' and args->>'repoid' = ${name} order by id`;

/** Returns the layers of the index of a repository's history. */
async function indexOf(name: string): Promise<string[]> {
  const files = await readdir(join(await storagePathOf(name), 'objects/info/commit-graphs'));
  return files.filter((file) => file.endsWith('.graph'));
}

async function sizeOnDisk(name: string): Promise<number> {
  const { stdout } = await promisify(execFile)('du', ['-sk', await storagePathOf(name)]);
  return Number.parseInt(stdout, 10) * 1024;
}

/** Expects that database and disk agree, and that no operation is left. */
async function expectConsistent(name: string): Promise<void> {
  expect(await findByteFaults(sql, cluster.storageRoots, name)).toEqual([]);
  expect(await sql`select id from operations where state = 'running' and request->>'name' = ${name}`).toHaveLength(0);
}

describe.each(storageNames)('into the storage `%s`', (storage) => {
  it('git pushes, and all is recorded when git says so', async () => {
    const { name, path } = await makePair(storage);
    await admin.result('follow_repo', { repoid: name });
    const first = await commit(path, 'one');
    const pushed = await push(path, mainBranch);
    expect(pushed).toMatchObject({ exitCode: 0 });
    expect(pushed.stderr).toContain(`[new branch]      ${mainBranch} -> ${mainBranch}`);
    expect(await tipOf(name)).toBe(first);
    expect(await refsOf(path)).toEqual({ HEAD: first, [mainReference]: first });
    const second = await commit(path, 'two');
    expect(await push(path, mainBranch)).toMatchObject({ exitCode: 0 });
    expect(await tipOf(name)).toBe(second);
    const entries = await auditOf(name);
    expect(entries.map(({ outcome }) => outcome)).toEqual(['succeeded', 'succeeded']);
    expect(entries[0]?.['args']).toMatchObject({ references: mainReference, count: 1 });
    expect(await feed('_admin/journal')).toContain(`pushed into ${name}`);
    expect(await feed(`${name}/feed`)).toContain('says two');
    await expectConsistent(name);
  });
});

it('git pushes with a password, and is refused with a wrong one', async () => {
  const { name, path } = await makePair();
  const username = uniqueName('writer');
  await admin.result('create_user', { username, email: `${username}@example.com`, password: 'a secret of ann' });
  await admin.result('grant_user_permission', { repoid: name, userid: username, perm: 'repository.write' });
  const id = await commit(path, 'one');
  const { host } = new URL(cluster.baseUrl);
  const pushAs = (password: string) =>
    runGit(path, ['push', `http://${username}:${password}@${host}/${name}`, mainBranch]);
  const refused = await pushAs('another');
  expect(refused.exitCode).not.toBe(0);
  expect(refused.stderr).toContain('Authentication failed');
  expect(await refsOf(path)).toEqual({});
  expect(await pushAs('a%20secret%20of%20ann')).toMatchObject({ exitCode: 0 });
  expect(await tipOf(name)).toBe(id);
  expect(await auditOf(name)).toMatchObject([{ outcome: 'succeeded', actor: username }]);
});

it('git pushes with options, and is told that they have no effect', async () => {
  const { name, path } = await makePair();
  const id = await commit(path, 'one');
  const pushed = await push(path, '-o', 'ci.skip', '--push-option=title=x y', mainBranch);
  expect(pushed).toMatchObject({ exitCode: 0 });
  expect(pushed.stderr.match(/^remote: Push options have no effect here *$/gm)).toHaveLength(1);
  expect(await tipOf(name)).toBe(id);
  const many = Array.from({ length: 101 }, (_, at) => [`--push-option=${at}`]).flat();
  const refused = await push(path, ...many, `${mainBranch}:refs/heads/other`);
  expect(refused.exitCode).not.toBe(0);
  expect(refused.stderr).toContain('a push may have 100 options of 65536 bytes in all at most');
  expect(await refsOf(path)).toEqual({ HEAD: id, [mainReference]: id });
});

it('git pushes force, tags, many references and deletions', async () => {
  const { name, path } = await makePair();
  const first = await commit(path, 'one');
  await push(path, mainBranch);
  await ownGit(path, 'commit', '-q', '--amend', '-m', 'other');
  const other = (await ownGit(path, 'rev-parse', 'HEAD')).trim();
  expect((await push(path, mainBranch)).stderr).toContain('non-fast-forward');
  expect((await push(path, `+${mainBranch}`)).stderr).toContain(
    `+ ${first.slice(0, 7)}...${other.slice(0, 7)} ${mainBranch} -> ${mainBranch}`,
  );
  expect(await tipOf(name)).toBe(other);
  await ownGit(path, 'tag', '-a', '-m', 'a tag', 'v1');
  const names = Array.from({ length: 200 }, (_, at) => `refs/heads/topic/${at}`);
  const pushed = await push(path, 'v1', ...names.map((one) => `${mainBranch}:${one}`));
  expect(pushed).toMatchObject({ exitCode: 0 });
  const refs = await refsOf(path);
  expect(names.every((one) => refs[one] === other)).toBe(true);
  expect(refs['refs/tags/v1^{}']).toBe(other);
  expect(await push(path, '--delete', ...names, 'v1')).toMatchObject({ exitCode: 0 });
  expect(Object.keys(await refsOf(path))).toEqual(['HEAD', mainReference]);
  await expectConsistent(name);
});

it('the first push chooses the default branch', async () => {
  const { name, path } = await makePair();
  const first = await commit(path, 'one');
  // The name `main` goes before others.
  await push(path, 'HEAD:refs/heads/zebra', 'HEAD:refs/heads/main');
  expect(await ownGit(path, 'ls-remote', '--symref', 'origin', 'HEAD')).toContain('ref: refs/heads/main\tHEAD');
  expect(await admin.result('get_repo', { repoid: name })).toMatchObject({ default_branch: 'main' });
  const refused = await push(path, ':main');
  expect(refused.exitCode).not.toBe(0);
  expect(refused.stderr).toContain('the default branch cannot be deleted: choose another one first');
  expect(await auditOf(name)).toMatchObject([{ outcome: 'succeeded' }, { outcome: 'failed' }]);
  expect((await refsOf(path))['refs/heads/main']).toBe(first);
});

it('only branches and tags count for the history, whatever is pushed', async () => {
  const { name, path } = await makePair('second');
  const first = await commit(path, 'one');
  await push(path, mainBranch);
  const later = await commit(path, 'two');
  expect(await push(path, `${mainBranch}:refs/notes/own`)).toMatchObject({ exitCode: 0 });
  expect(await tipOf(name)).toBe(first);
  expect((await refsOf(path))['refs/notes/own']).toBe(later);
  expect(await admin.result<unknown[]>('get_changesets', { repoid: name })).toHaveLength(1);
  await push(path, `${mainBranch}:refs/tags/t`);
  expect(await tipOf(name)).toBe(later);
});

it('git pushes five megabytes in pieces', async () => {
  const { name, path } = await makePair('second');
  await ownGit(path, 'config', 'http.postBuffer', '65536');
  const id = await commit(path, randomBytes(2_500_000).toString('hex'));
  expect(await push(path, mainBranch)).toMatchObject({ exitCode: 0 });
  expect(await tipOf(name)).toBe(id);
  await expectConsistent(name);
  const { size_bytes: size } = await admin.result<{ size_bytes: number }>('get_repo', { repoid: name });
  expect(Math.abs(size - (await sizeOnDisk(name)))).toBeLessThan(100_000);
});

it('a push of many commits has the history indexed, and one of few leaves the index as it is', async () => {
  const { name, path } = await makePair();
  const commits = Array.from({ length: 300 }, (_, at) => {
    return `commit ${mainReference}\ncommitter Ann <ann@example.com> ${1_700_000_000 + at} +0000\ndata 1\nx\n`;
  });
  await writeFile(join(path, 'stream'), commits.join(''));
  await ownGit(path, '-c', 'alias.plant=!git fast-import --quiet <', 'plant', 'stream');
  expect(await push(path, mainBranch)).toMatchObject({ exitCode: 0 });
  const indexed = await indexOf(name);
  expect(indexed).toHaveLength(1);
  const id = await commit(path, 'one more');
  expect(await push(path, mainBranch)).toMatchObject({ exitCode: 0 });
  expect(await indexOf(name)).toEqual(indexed);
  expect(await admin.result('get_repo', { repoid: name })).toMatchObject({
    last_changeset: { raw_id: id, revision: 300 },
  });
  await expectConsistent(name);
});

it('a push is refused whole when one of its references is', async () => {
  const { path } = await makePair();
  await commit(path, 'one');
  const refused = await push(path, mainBranch, `${mainBranch}:refs/replace/x`, `${mainBranch}:refs/trunkline/x`);
  expect(refused.exitCode).not.toBe(0);
  expect(refused.stderr).toContain('names below refs/replace/ are reserved');
  expect(refused.stderr).toContain('another reference of this push was refused');
  expect(await refsOf(path)).toEqual({});
});
