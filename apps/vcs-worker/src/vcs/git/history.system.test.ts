import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogQuery, VcsBackend, VcsReads } from '../backend.ts';
import { fastImport } from '../testing/feed-git.ts';
import { git, gitCommand } from '../testing/tools.ts';
import { neverAborted, openWorkbench, type Workbench } from '../testing/workbench.ts';

let bench: Workbench;
let backend: VcsBackend;
let trace: string;

beforeAll(async () => {
  bench = await openWorkbench();
  trace = bench.freshPath();
  const wrapper = bench.freshPath();
  // The trace has each command of git that starts.
  const script = `#!/bin/sh\nGIT_TRACE2_EVENT=${trace} exec ${gitCommand.join(' ')} "$@"\n`;
  await writeFile(wrapper, script, { mode: 0o755 });
  ({ git: backend } = await bench.open({ gitCommand: [wrapper] }));
});
afterAll(() => bench.close());

/** Makes a line of commits, of which every tenth is a merge, and two branches in the middle. */
async function makeHistory(commits: number): Promise<string> {
  const path = bench.freshPath();
  await backend.init(path, 'uuid');
  const parts: string[] = [];
  for (let number = 1; number <= commits; number += 1) {
    const who = `A <a@example.com> ${1_500_000_000 + number * 60} +0000`;
    parts.push(`commit refs/heads/main\nmark :${number}\ncommitter ${who}\ndata 1\nx\n`);
    if (number > 1) parts.push(`from :${number - 1}\n`);
    if (number > 20 && number % 10 === 0) parts.push(`merge :${number - 5}\n`);
  }
  const half = Math.ceil(commits / 2);
  await fastImport(
    path,
    `${parts.join('')}\nreset refs/heads/half\nfrom :${half}\n\nreset refs/heads/first\nfrom :1\n\n`,
  );
  await backend.indexHistory(path, neverAborted);
  return path;
}

/** Makes commits whose parents and dates are in some disorder, with a branch at every twentieth of them. */
async function makeTangledHistory(commits: number): Promise<string> {
  const path = bench.freshPath();
  await backend.init(path, 'uuid');
  const parts: string[] = [];
  for (let number = 1; number <= commits; number += 1) {
    const who = `A <a@example.com> ${1_500_000_000 + number * 60 + ((number * 7_919) % 97) * 600} +0000`;
    parts.push(`commit refs/heads/main\nmark :${number}\ncommitter ${who}\ndata 1\nx\n`);
    if (number > 40) parts.push(`from :${number - 1 - ((number * 31) % 17)}\n`);
    if (number > 40 && number % 3 === 0) parts.push(`merge :${number - 2 - ((number * 13) % 29)}\n`);
    if (number % 20 === 0) parts.push(`\nreset refs/heads/b${number}\nfrom :${number}\n\n`);
  }
  await fastImport(path, parts.join(''));
  await backend.indexHistory(path, neverAborted);
  return path;
}

async function readsOf(path: string, generation = 1): Promise<VcsReads> {
  const tip = await backend.tip(path);
  return backend.forCall(neverAborted, { uuid: path, generation, tip });
}

/** Returns the trace of what the work starts. */
async function traced(work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  await writeFile(trace, '');
  await work();
  const lines = (await readFile(trace, 'utf8')).split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Counts the walks of each kind: of the newest commits, of all, and of those that a branch reaches. */
function walksIn(events: readonly Record<string, unknown>[]) {
  const commands = events.flatMap(({ event, argv }) => (event === 'start' && Array.isArray(argv) ? [argv] : []));
  const walks = commands.filter((argv) => argv.includes('rev-list'));
  const ofNewest = walks.filter((argv) => argv.includes('--max-count=1024')).length;
  return {
    newest: ofNewest,
    all: walks.filter((argv) => argv.includes('--timestamp')).length - ofNewest,
    branch: walks.filter((argv) => argv.includes('--end-of-options')).length,
  };
}

const newest = { reverse: true, limit: 51, withFiles: false };
const none = { newest: 0, all: 0, branch: 0 };

describe('a git history whose state is known', () => {
  it.each([60, 8_000])('of %i commits is not walked for a further page', async (commits) => {
    const path = await makeHistory(commits);
    const reads = await readsOf(path);
    const [last] = (await reads.log(path, newest)).slice(-1);
    await reads.resolveRevision(path, 4);
    const events = await traced(async () => {
      expect(await reads.log(path, newest)).toHaveLength(51);
      expect(await reads.log(path, { ...newest, limit: 5, after: last?.rawId ?? null })).toHaveLength(5);
      await reads.resolveRevision(path, 3);
    });
    expect(walksIn(events)).toEqual(none);
  });

  it('reads the recorded tip without a walk', async () => {
    const path = await makeHistory(60);
    const reads = await readsOf(path);
    const tip = await git(path, 'rev-parse', 'main');
    const events = await traced(async () => {
      expect(await reads.changeset(path, tip, { withFiles: false })).toMatchObject({ rawId: tip, revision: 59 });
    });
    expect(walksIn(events)).toEqual(none);
  });

  it.each([
    ['a line of', () => makeHistory(1_500), 'half'],
    ['tangled', () => makeTangledHistory(2_500), 'b1800'],
  ])('gives all queries about %s commits the same answer as one that is read anew', async (_, make, branch) => {
    const path = await make();
    const ids = (await git(path, 'rev-list', '--all', '--date-order', '--reverse')).split('\n');
    const first = ids.length - 1_024;
    const reads = await readsOf(path);
    const at = (number: number) => new Date((1_500_000_000 + (number + 1) * 60) * 1_000);
    const id = (number: number) => ids[number] ?? '';
    const queries: Omit<LogQuery, 'withFiles'>[] = [
      { reverse: true, limit: 20 },
      { reverse: true, limit: 1_025 },
      { reverse: true, limit: 20, after: id(first + 20) },
      { reverse: true, limit: 21, after: id(first + 20) },
      { reverse: true, limit: 20, after: id(200) },
      { branch, reverse: true, limit: 30 },
      { branch, from: id(first + 3), limit: 40 },
      { branch: 'main', reverse: true, after: id(first + 300), limit: 100 },
      { branch: 'main', limit: 20 },
      { branch, reverse: true, after: id(first + 30), limit: 60 },
      { since: at(10), until: at(12) },
      { since: at(ids.length - 40), reverse: true, limit: 10 },
      { from: id(5), to: id(9) },
      { from: id(first - 1), to: id(first + 9) },
      { from: id(first), to: id(first + 9) },
      { from: id(first + 9), to: id(first), reverse: true },
      { limit: 3, after: id(ids.length - 3) },
      { after: id(ids.length - 1) },
    ];
    for (const query of queries) {
      const wanted = { ...query, withFiles: false };
      expect(await reads.log(path, wanted), JSON.stringify(query)).toEqual(await backend.log(path, wanted));
    }
    for (const number of [0, 7, first - 1, first, ids.length - 1]) {
      expect(await reads.resolveRevision(path, number)).toBe(ids[number]);
      const one = await reads.changeset(path, id(number), { withFiles: true });
      expect(one).toEqual(await backend.changeset(path, id(number), { withFiles: true }));
    }
    await expect(reads.resolveRevision(path, ids.length)).rejects.toMatchObject({ kind: 'unknown-revision' });
  });

  it('has its newest commits read without the others, and these once for all that ask', async () => {
    const path = await makeHistory(3_000);
    const ids = (await git(path, 'rev-list', '--all', '--date-order', '--reverse')).split('\n');
    const log = async (generation: number, query: Omit<LogQuery, 'withFiles'>) =>
      (await readsOf(path, generation)).log(path, { ...newest, ...query });
    const walks = async (work: () => Promise<unknown>) => walksIn(await traced(work));
    const four = (work: () => Promise<unknown>) => Promise.all([work(), work(), work(), work()]);

    expect(await walks(() => four(() => log(1, {})))).toEqual({ ...none, newest: 1 });
    expect(await walks(() => log(1, { after: ids[2_100] ?? '' }))).toEqual(none);
    expect(await walks(() => log(1, { branch: 'main', after: ids[2_500] ?? '' }))).toEqual(none);
    // The last commits of this page are older than the 1,024 newest ones.
    expect(await walks(() => four(() => log(1, { after: ids[2_000] ?? '' })))).toEqual({ ...none, all: 1 });
    expect(await walks(() => log(1, { after: ids[300] ?? '' }))).toEqual(none);
    expect(await walks(() => log(1, { branch: 'half' }))).toEqual({ ...none, branch: 1 });
    expect(await walks(() => log(1, { branch: 'half' }))).toEqual(none);

    expect(await walks(() => log(2, { reverse: false }))).toEqual({ ...none, all: 1 });
    expect(await walks(() => log(2, {}))).toEqual({ ...none, newest: 1 });
  });

  it('has numbers of its own when the recorded tip is not the newest commit', async () => {
    const path = await makeHistory(60);
    const ids = (await git(path, 'rev-list', '--all', '--date-order', '--reverse')).split('\n');
    for (const tip of [
      { rawId: ids[50] ?? '', revision: 50 },
      { rawId: ids[59] ?? '', revision: 70 },
    ]) {
      const reads = backend.forCall(neverAborted, { uuid: path, generation: tip.revision, tip });
      expect(await reads.log(path, newest)).toEqual(await backend.log(path, newest));
    }
  });
});
