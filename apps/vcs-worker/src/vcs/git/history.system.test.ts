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

const walksIn = (events: readonly Record<string, unknown>[]) =>
  events.filter(({ event, name }) => event === 'cmd_name' && name === 'rev-list').length;

const newest = { reverse: true, limit: 51, withFiles: false };

describe('a git history whose state is known', () => {
  it.each([60, 8_000])('of %i commits is not walked for a further page', async (commits) => {
    const path = await makeHistory(commits);
    const reads = await readsOf(path);
    const [last] = (await reads.log(path, newest)).slice(-1);
    const events = await traced(async () => {
      expect(await reads.log(path, newest)).toHaveLength(51);
      expect(await reads.log(path, { ...newest, limit: 5, after: last?.rawId ?? null })).toHaveLength(5);
      await reads.resolveRevision(path, 3);
    });
    expect(walksIn(events)).toBe(0);
  });

  it('reads the recorded tip without a walk', async () => {
    const path = await makeHistory(60);
    const reads = await readsOf(path);
    const tip = await git(path, 'rev-parse', 'main');
    const events = await traced(async () => {
      expect(await reads.changeset(path, tip, { withFiles: false })).toMatchObject({ rawId: tip, revision: 59 });
    });
    expect(walksIn(events)).toBe(0);
  });

  it('gives all queries the same answer as one that is read anew', async () => {
    const path = await makeHistory(400);
    const ids = (await git(path, 'rev-list', '--all', '--date-order', '--reverse')).split('\n');
    const reads = await readsOf(path);
    const at = (number: number) => new Date((1_500_000_000 + (number + 1) * 60) * 1_000);
    const queries: Omit<LogQuery, 'withFiles'>[] = [
      { reverse: true, limit: 20 },
      { reverse: true, limit: 1_000 },
      { reverse: true, limit: 20, after: ids[200] ?? '' },
      { branch: 'half', reverse: true, limit: 30 },
      { branch: 'first' },
      { since: at(10), until: at(12) },
      { from: ids[5] ?? '', to: ids[9] ?? '' },
      { limit: 3, after: ids[398] ?? '' },
    ];
    for (const query of queries) {
      const wanted = { ...query, withFiles: false };
      expect(await reads.log(path, wanted)).toEqual(await backend.log(path, wanted));
    }
    for (const number of [0, 7, 399]) {
      expect(await reads.resolveRevision(path, number)).toBe(ids[number]);
      const one = await reads.changeset(path, ids[number] ?? '', { withFiles: true });
      expect(one).toEqual(await backend.changeset(path, ids[number] ?? '', { withFiles: true }));
    }
    await expect(reads.resolveRevision(path, 400)).rejects.toMatchObject({ kind: 'unknown-revision' });
  });

  it('is walked once for all pages, for all that ask at once, and again for another generation', async () => {
    const path = await makeHistory(400);
    const older = async (generation: number, branch: string | null) => {
      const reads = await readsOf(path, generation);
      const after = await reads.resolveRevision(path, 300);
      return reads.log(path, { ...newest, after, branch });
    };
    const walks = async (work: () => Promise<unknown>) => walksIn(await traced(work));
    // `tip` of each call here walks twice, without a state.
    const ofTips = (calls: number) => 2 * calls;
    expect(await walks(() => Promise.all([1, 2, 3, 4].map(() => older(1, null))))).toBe(1 + ofTips(4));
    expect(await walks(() => older(1, null))).toBe(ofTips(1));
    expect(await walks(() => older(1, 'half'))).toBe(1 + ofTips(1));
    expect(await walks(() => older(1, 'half'))).toBe(ofTips(1));
    expect(await walks(() => older(2, null))).toBe(1 + ofTips(1));
  });
});
