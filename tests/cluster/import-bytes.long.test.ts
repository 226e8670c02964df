import { access, appendFile, chown, lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { openImportBench, type ImportBench, type ImportReport } from '../harness/kallithea/import-bench.ts';
import type { Row } from '../harness/kallithea/write-source.ts';
import { git, hg } from '../harness/remotes.ts';
import { makeBareGitOnDisk, makeHgOnDisk } from '../harness/repositories-on-disk.ts';
import { mainReference, someFile } from '../harness/unique-name.ts';
import { hgPayload, gitPayload, plantHooks } from '../security/adoption-plants.ts';

const password = 'hidden-password';
/** Types by name; the ids in the source follow the order, from 20 on. */
const types = { headless: 'git', packed: 'git', borrowing: 'git', linked: 'git', absent: 'git', secret: 'hg' } as const;
const names = Object.keys(types);
const idOf = (name: keyof typeof types) => names.indexOf(name) + 20;

const isRoot = process.geteuid?.() === 0;
if (!isRoot) console.warn('What root gives to the workers is not tested: these tests run as another user.');
/** An id that no user of the machine has, which stands for the user of the workers. */
const workers = 60_802;

let bench: ImportBench;
let outside: string;
let report: ImportReport;
let printed: string;

const at = (name: keyof typeof types) => join(bench.root, name);

async function plantGit(): Promise<void> {
  await makeBareGitOnDisk(at('headless'));
  await git(at('headless'), 'symbolic-ref', 'HEAD', 'refs/heads/gone');

  const tip = await makeBareGitOnDisk(at('packed'));
  for (const name of ['refs/heads/other', 'refs/tags/v1', 'refs/pull/1/head', 'refs/hidden/kept']) {
    await git(at('packed'), 'update-ref', name, tip);
  }
  await git(at('packed'), 'pack-refs', '--all', '--prune');
  await git(at('packed'), 'update-ref', 'refs/heads/loose', tip);
  await writeFile(
    join(at('packed'), 'config'),
    `${gitPayload(outside)}[remote "up"]\n\turl = https://me:${password}@example.com/\n`,
  );
  await plantHooks(join(at('packed'), 'hooks'), outside);

  await makeBareGitOnDisk(at('borrowing'));
  await writeFile(join(at('borrowing'), 'objects/info/alternates'), '../../packed/objects\n');
  await makeBareGitOnDisk(join(outside, 'elsewhere'));
  await symlink(join(outside, 'elsewhere'), at('linked'));
}

async function plantHg(): Promise<void> {
  await makeHgOnDisk(at('secret'));
  // As versions of Mercurial wrote it that accepted such a name.
  await writeFile(
    join(at('secret'), '.hg/bookmarks'),
    `${await hg(at('secret'), 'log', '-r', 'tip', '-T', '{node}')} 123\n`,
  );
  await writeFile(join(at('secret'), someFile), 'not for everybody');
  await hg(at('secret'), 'commit', '-q', '--secret', '-m', 'hidden', '-u', 'Ann');
  await appendFile(
    join(at('secret'), '.hg/hgrc'),
    `${hgPayload(outside)}[paths]\ndefault = https://me:${password}@example.com/\n`,
  );
}

beforeAll(async () => {
  bench = await openImportBench(inject('postgresUrl'), { users: 10, userGroups: 1, repoGroups: 1, repositories: 2 });
  outside = await mkdtemp(join(bench.beside, 'outside-'));
  await writeFile(join(outside, 'evil.sh'), `#!/bin/sh\ntouch ${join(outside, 'canary')}\n`, { mode: 0o755 });
  await writeFile(join(outside, 'evil.py'), `open(${JSON.stringify(join(outside, 'canary'))}, 'w').close()\n`);
  await mkdir(join(outside, 'hooks'));
  await plantGit();
  await plantHg();
  await bench.change((tables) => {
    const [first] = tables['repositories'] ?? [];
    const rows = Object.entries(types).map(([repo_name, repo_type], index): Row => {
      const clone_uri = `https://me:${password}@example.com/${repo_name}`;
      return { ...first, repo_id: index + 20, repo_name, repo_type, clone_uri, fork_id: null, private: false };
    });
    return { ...tables, repositories: [...(tables['repositories'] ?? []), ...rows] };
  });
  if (isRoot) await chown(join(bench.cluster.storageRoot, '.trunkline-storage'), workers, workers);
  const ran = await bench.run();
  printed = ran.stdout + ran.stderr;
  report = JSON.parse(ran.stdout) as ImportReport;
});
afterAll(() => bench.close());

it('names the repositories that it refuses', () => {
  const refused = report.findings.filter(({ kind }) => kind === 'refused');
  expect(new Map(refused.map(({ about, what }) => [about, what]))).toEqual(
    new Map([
      ['repository absent', 'its directory is missing'],
      ['repository linked', 'it is, or lies behind, a symbolic link'],
      ['repository borrowing', expect.stringContaining('it borrows objects from elsewhere')],
    ]),
  );
});

it.runIf(isRoot)('leaves what root has copied to the owner of the marker', async () => {
  const path = await bench.pathOf(idOf('packed'));
  for (const one of [join(path, '..'), path, join(path, 'refs/heads'), join(path, 'refs/heads/loose')]) {
    expect([one, (await lstat(one)).uid]).toEqual([one, workers]);
  }
});

it('brings every reference of git, packed ones and those outside of branches and tags, and a HEAD without a branch', async () => {
  for (const name of ['packed', 'headless'] as const) {
    const path = await bench.pathOf(idOf(name));
    // As root, what was copied belongs to another user.
    const read = (directory: string, ...words: string[]) => git(directory, '-c', 'safe.directory=*', ...words);
    const refs = (directory: string) => read(directory, 'for-each-ref', '--format=%(objectname) %(refname)');
    await rm(join(at(name), 'config'));
    await git(at(name), 'init', '-q', '--bare');
    expect([name, await refs(path)]).toEqual([name, await refs(at(name))]);
    const repoid = await bench.idOf('repository', idOf(name));
    const revision = (await read(path, 'rev-parse', mainReference)).trim();
    expect(await bench.admin.result('get_changeset', { repoid, revision })).toMatchObject({ raw_id: revision });
  }
});

it('brings secret changesets of Mercurial as secret ones, and bookmarks of digits', async () => {
  const path = await bench.pathOf(idOf('secret'));
  expect(await hg(path, 'log', '-T', '{phase} {bookmarks} {desc}\n')).toBe('secret  hidden\ndraft 123 first\n');
  const url = bench.cluster.baseUrl.replace('://', `://api-key:${bench.admin.apiKey}@`);
  const clone = await mkdtemp(join(bench.beside, 'clone-'));
  await hg(clone, 'clone', '-q', `${url}/secret`, '.');
  expect(await hg(clone, 'log', '-T', '{bookmarks} {desc}\n')).toBe('123 first\n');
});

it('C4 runs no hook, extension or other program of the source, and takes over none', async () => {
  await expect(access(join(outside, 'canary'))).rejects.toThrow('ENOENT');
  const [packed, secret] = [await bench.pathOf(idOf('packed')), await bench.pathOf(idOf('secret'))];
  await expect(access(join(packed, 'hooks/post-receive'))).rejects.toThrow('ENOENT');
  expect(await readFile(join(packed, 'config'), 'utf8')).not.toContain('fsmonitor');
  expect(await readFile(join(secret, '.hg/hgrc'), 'utf8')).not.toContain('hooks');
});

it('D10 shows the passwords of remotes to nobody, and logs none', async () => {
  expect(printed).not.toContain(password);
  expect(await bench.cluster.logs()).not.toContain(password);
  const audit = await bench.sql`select 1 from audit_log where args::text like ${`%${password}%`}`;
  expect(audit).toEqual([]);
  const rows = await bench.sql`select 1 from repositories where repositories::text like ${`%${password}%`}`;
  expect(rows).toEqual([]);
  const kept = await bench.sql`select 1 from imported_objects where parts::text like ${`%${password}%`}`;
  expect(kept).toEqual([]);
});
