import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundlePath, writeArrived } from './hg/protocol/hg-push-steps.ts';
import { memoryBudget } from './process/memory-budget.ts';
import { commitGit, commitHg, git, hg } from './testing/tools.ts';
import { neverAborted, openWorkbench, type Workbench } from './testing/workbench.ts';

let bench: Workbench;
let vcs: Awaited<ReturnType<Workbench['openVcs']>>;
beforeAll(async () => {
  bench = await openWorkbench();
  vcs = await bench.openVcs({});
});
afterAll(() => bench.close());

const allow = async () => {};

/** Runs `act` while another child has twice the memory that all may have. */
async function shortOfMemory(act: () => Promise<void>): Promise<void> {
  memoryBudget.setLimit(2 ** 32);
  const remove = memoryBudget.add({ pid: process.pid, measure: () => 2 ** 33, stop: () => {} });
  memoryBudget.check();
  try {
    expect(vcs.isShortOfMemory()).toBe(true);
    await act();
  } finally {
    remove();
    memoryBudget.setLimit(Infinity);
  }
}

it('F10 C7 a push of git that holds its repository does not wait for memory', async () => {
  const work = bench.freshPath();
  await git(bench.directory, 'init', '-q', '-b', 'main', work);
  const id = await commitGit(work, { a: '1' });
  const path = join(work, '.git');
  const push = { directory: work, changes: [{ name: 'refs/heads/next', from: null, to: id }] };
  await mkdir(join(work, 'objects/pack'), { recursive: true });
  await shortOfMemory(async () => {
    await expect(vcs.backends.git.forCall(neverAborted).tip(path)).rejects.toMatchObject({ kind: 'busy' });
    const steps = vcs.pushSteps.git;
    await steps.prepare(path, push);
    await steps.moveObjects(path, push);
    await steps.changeNames(path, push, allow);
    await steps.finish(path, push);
    expect(await steps.settle(path, push)).toBe(true);
    expect((await vcs.backends.git.tip(path))?.rawId).toBe(id);
  });
});

it('F10 C7 a push of Mercurial that holds its repository does not wait for memory', async () => {
  const [source, path] = [bench.freshPath(), bench.freshPath()];
  for (const directory of [source, path]) await hg(bench.directory, 'init', directory);
  const id = await commitHg(source, { a: '1' });
  const directory = bench.freshPath();
  await mkdir(directory);
  await hg(source, 'bundle', '-q', '--all', '--type', 'none-v2', bundlePath(directory));
  await writeArrived(directory, { command: 'unbundle', caps: '', args: 'heads=666f726365' });
  const push = { directory, changes: [] };
  await shortOfMemory(async () => {
    const steps = vcs.pushSteps.hg;
    await steps.prepare(path, push);
    await steps.changeNames(path, push, allow);
    await steps.finish(path, push);
    expect((await vcs.backends.hg.tip(path))?.rawId).toBe(id);
  });
});

it('F10 C7 a repair of Mercurial has waited for memory before it takes its repository, and does not wait then', async () => {
  const path = bench.freshPath();
  await hg(bench.directory, 'init', path);
  const journal = join(path, '.hg/store/journal');
  await writeFile(journal, '');
  // None of its command servers has started yet.
  const { backends } = await bench.openVcs({});
  let isThere = false;
  let waiting: Promise<void> | undefined;
  await shortOfMemory(async () => {
    waiting = backends.hg.waitForMemory().then(() => void (isThere = true));
    await backends.hg.recover(path);
    expect([isThere, existsSync(journal)]).toEqual([false, false]);
  });
  await waiting;
});

it('F10 C7 a maintenance that holds its repository does not wait for memory', async () => {
  const work = bench.freshPath();
  await git(bench.directory, 'init', '-q', '-b', 'main', work);
  await commitGit(work, { a: '1' });
  const packing = { staging: bench.freshPath(), unreachable: 'removed', keptMs: 0 } as const;
  const files = await vcs.maintenance.git.pack(join(work, '.git'), packing, neverAborted);
  await shortOfMemory(async () => {
    expect(await files?.isCurrent()).toBe(true);
  });
});
