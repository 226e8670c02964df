import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VcsBackend } from './backend.ts';
import { fastImport } from './testing/feed-git.ts';
import { injectionPayloads } from './testing/injection-payloads.ts';
import { commitHg, hg } from './testing/tools.ts';
import { openWorkbench, type Workbench } from './testing/workbench.ts';
import { VcsError } from './vcs-error.ts';

const commits = 10_000;

let bench: Workbench;
let canaries = '';

beforeAll(async () => {
  bench = await openWorkbench();
  canaries = bench.freshPath();
  await mkdir(canaries);
}, 60_000);
afterAll(() => bench.close());

async function makeGit(path: string): Promise<void> {
  const one = (index: number) => {
    const text = String(index).padStart(4, '0');
    return `commit refs/heads/master\ncommitter A <a@b> ${index} +0000\ndata 4\n${text}\nM 644 inline d/f\ndata 4\n${text}\n`;
  };
  await bench.backends.git.init(path, 'uuid');
  await fastImport(path, Array.from({ length: commits }, (_, index) => one(index)).join(''));
}

async function makeHg(path: string): Promise<void> {
  await mkdir(path);
  await hg(path, 'init', '.');
  await hg(path, 'debugbuilddag', `+${commits}`);
  await commitHg(path, { of: 'x' });
}

describe.each([
  ['git', makeGit, 'd', 'd/f'],
  ['hg', makeHg, '', 'of'],
] as const)('%s', (type, make, directory, file) => {
  let backend: VcsBackend;
  let path = '';
  let newest = '';
  const canary = () => join(canaries, 'canary');

  beforeAll(async () => {
    backend = bench.backends[type];
    path = bench.freshPath();
    await make(path);
    newest = await backend.resolveRevision(path, 'tip');
  }, 120_000);

  /** Expects a call to be refused as unknown, not by a timeout or a limit, and other reads to work afterwards. */
  async function expectRefusal(call: () => Promise<unknown>, payload: string): Promise<void> {
    const outcome = await call().catch((error: unknown) => error);
    const shown = JSON.stringify(payload).slice(0, 80);
    expect(outcome, shown).toBeInstanceOf(VcsError);
    expect(outcome, shown).toMatchObject({ kind: expect.stringMatching(/^(?:unknown-|empty-repository)/) });
    expect(String(outcome)).not.toContain('root:x');
    expect(await readdir(canaries)).toEqual([]);
    expect(await backend.resolveRevision(path, newest)).toBe(newest);
    expect((await backend.nodes(path, newest, directory)).map(({ name }) => name)).toEqual([file]);
  }

  it('D1 D2 D3 D5 D11 no revision is read as an option, an expression or a pattern', { timeout: 120_000 }, async () => {
    for (const payload of injectionPayloads(canary()))
      await expectRefusal(() => backend.resolveRevision(path, payload), payload);
  });

  it('D1 D2 D3 D5 D11 no path is read as an option, an expression or a pattern', { timeout: 120_000 }, async () => {
    for (const payload of injectionPayloads(canary()))
      await expectRefusal(() => backend.nodes(path, newest, payload), payload);
  });

  it(
    'D1 D2 D3 D5 D11 no path of a history is read as an option, an expression or a pattern',
    { timeout: 120_000 },
    async () => {
      const history = (name: string) => backend.pathHistory(path, newest, name, { skip: 0, limit: 1 });
      for (const payload of injectionPayloads(canary())) await expectRefusal(() => history(payload), payload);
    },
  );

  it('D1 D2 D3 D5 D11 no branch is read as an option, an expression or a pattern', { timeout: 120_000 }, async () => {
    const log = (branch: string) => backend.log(path, { branch, limit: 1, withFiles: true });
    for (const payload of injectionPayloads(canary())) {
      await expectRefusal(() => log(payload), payload);
      await expectRefusal(() => log(`book:${payload}`), payload);
    }
  });
});
