import { createHash, randomInt } from 'node:crypto';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OperationFailedError } from '@trunkline/contracts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectBytes } from '../../collect-bytes.ts';
import type { VcsReads } from '../../vcs/backend.ts';
import { damageFiles, damageOf, type Damage, type DamageKind } from '../../vcs/testing/damage.ts';
import { commitGit, commitHg, git } from '../../vcs/testing/tools.ts';
import { makeSource, neverAborted, openWorkbench, type Workbench } from '../../vcs/testing/workbench.ts';
import { readRepository } from './read-repository.ts';
import { readTip, requireRecordedTip } from './recorded-state.ts';

const seed = Number(process.env['TRUNKLINE_TEST_SEED'] ?? randomInt(2 ** 31));
/** How often each damage is sampled. */
const rounds = Number(process.env['TRUNKLINE_TEST_FUZZ_ROUNDS'] ?? 1);
const samplingMsMax = Math.min(rounds * 60_000, 86_400_000);
/** Time after the first failure in which fast-check looks for smaller ones. */
const shrinkingMsMax = 10_000;
const flipped = (pattern: RegExp): [RegExp, DamageKind] => [pattern, 'flipped'];

const damages: Record<'hg' | 'git', readonly (readonly [RegExp, DamageKind])[]> = {
  git: [
    ...[/\.pack$/, /\.idx$/, /^objects\/[0-9a-f]{2}\//, /^packed-refs$/, /^HEAD$/, /^config$/, /^refs\//].map(flipped),
    [/\.pack$/, 'halved'],
    [/\.idx$/, 'removed'],
    [/^packed-refs$/, 'emptied'],
    [/^HEAD$/, 'emptied'],
    [/^refs\/heads\/main$/, 'emptied'],
    flipped(/^objects\/info\/commit-graph$/),
    [/^objects\/info\/commit-graph$/, 'emptied'],
    [/^objects\/info\/commit-graph$/, 'halved'],
  ],
  hg: [
    ...[/^store\/.*\.i$/, /^store\/.*\.d$/, /00changelog\.i$/, /00manifest\.i$/, /^requires$/, /^store\/fncache$/].map(
      flipped,
    ),
    [/^store\/00changelog\.i$/, 'emptied'],
    [/^store\/00changelog\.i$/, 'halved'],
    [/^store\/00manifest\.i$/, 'emptied'],
    [/^store\/data\/big\.d$/, 'removed'],
    [/^requires$/, 'emptied'],
    [/^requires$/, 'halved'],
  ],
};

let bench: Workbench;
const samples = new Map<'hg' | 'git', { path: string; ids: readonly string[] }>();

async function makeSample(type: 'hg' | 'git') {
  const { directory } = await makeSource(bench, type);
  // By the seed, as are the dates of hg's changesets: what is damaged is then the same bytes in each run.
  const big = createHash('shake256', { outputLength: 150_000 }).update(String(seed)).digest('base64');
  const ids: string[] = [];
  for (let number = 0; number < 5; number += 1) {
    const files = { 'dir/deep/file': `${number}\n`.repeat(40 + number), big: `${big}${number}` };
    ids.push(await (type === 'hg' ? commitHg(directory, files, `${number} 0`) : commitGit(directory, files)));
    // Some objects packed, some loose.
    if (type === 'git' && number === 3) await git(directory, 'gc', '-q');
    if (type === 'git' && number === 2) await git(directory, 'tag', '-a', 'v1', '-m', 'x');
  }
  samples.set(type, { path: type === 'hg' ? directory : join(directory, '.git'), ids });
}

beforeAll(async () => {
  bench = await openWorkbench();
  await Promise.all([makeSample('hg'), makeSample('git')]);
});
afterAll(() => bench.close());

/**
 * Reads by the id of a changeset that the row does not have. Mercurial finds ids in an index that has no checksum: where
 * its bits are flipped, such an id is unknown. Only a read of all history would tell that from one that never was.
 */
const namesOldId = new Set(['prefix', 'changeset']);

type Read = (backend: VcsReads, path: string) => Promise<unknown>;

function readsOf([, old = '']: readonly string[], newest: string): Record<string, Read> {
  const sound: Read = (backend, path) => requireRecordedTip(backend, path, newest);
  // An id alone is not an answer: a named changeset is read, too.
  const named =
    (revision: string | number): Read =>
    async (backend, path) =>
      backend.changeset(path, await backend.resolveRevision(path, revision), { withFiles: false });
  const shown = { context: 3, ignoreWhitespace: false, binary: true };
  return {
    tip: (backend, path) => readTip(backend, path, newest),
    prefix: named(old.slice(0, 12)),
    number: named(1),
    nodes: (backend, path) => backend.nodes(path, newest, ''),
    below: (backend, path) => backend.nodes(path, newest, 'dir'),
    changeset: (backend, path) => backend.changeset(path, old, { withFiles: true }),
    log: async (backend, path) => [await backend.log(path, { withFiles: true }), await sound(backend, path)],
    refs: async (backend, path) => [[...(await backend.refs(path)).branches], await sound(backend, path)],
    directory: (backend, path) => backend.directory(path, newest, 'dir'),
    file: async (backend, path) => collectBytes((await backend.openFile(path, newest, 'dir/deep/file')).content),
    big: async (backend, path) => collectBytes((await backend.openFile(path, newest, 'big')).content),
    diff: (backend, path) => collectBytes(backend.diff(path, newest, shown)),
    stats: async (backend, path) => [...(await backend.fileStats(path, [newest], 10))],
    archive: (backend, path) =>
      collectBytes(backend.archive(path, newest, { format: 'tar', prefix: 'x', subrepos: false })),
  };
}

/** The results of all reads of a repository: values, or the kinds of errors. */
async function readAll(type: 'hg' | 'git', path: string, names?: readonly string[]) {
  const { ids } = samples.get(type) ?? { ids: [] };
  const newest = ids.at(-1) ?? '';
  let recorded = 0;
  const tools = {
    backends: bench.backends,
    storages: { of: () => ({ absolute: () => path, isOurs: async () => true }) },
    recordUnreadable: () => (recorded += 1),
  };
  const state = { uuid: path, generation: 1, tipId: newest, tipRevision: ids.length - 1 };
  const repository = { id: 1, type, storageId: '', storagePath: path, ...state };
  const reads = Object.entries(readsOf(ids, newest)).filter(([name]) => names?.includes(name) ?? true);
  const answers = reads.map(async ([name, read]): Promise<[string, string]> => {
    try {
      const toClientError = ({ kind }: { kind: string }) => new OperationFailedError(`error: ${kind}`);
      return [name, JSON.stringify((await readRepository(tools, repository, toClientError, read)) ?? null)];
    } catch (error) {
      if (!(error instanceof OperationFailedError)) throw error;
      return [name, error.message];
    }
  });
  return { answers: new Map(await Promise.all(answers)), recorded: () => recorded };
}

describe.each(['hg', 'git'] as const)(`C10 a damaged %s repository (TRUNKLINE_TEST_SEED=${seed})`, (type) => {
  let sample: string;
  let whole: ReadonlyMap<string, string>;
  beforeAll(async () => {
    sample = samples.get(type)?.path ?? '';
    whole = (await readAll(type, sample)).answers;
  });

  it('every read succeeds before anything is damaged', () => {
    expect([...whole].filter(([, answer]) => answer.startsWith('error'))).toEqual([]);
  });

  /** The number of failed reads; every other result must equal that of the undamaged repository. */
  const failuresIn = async (answers: ReadonlyMap<string, string>, path: string): Promise<number> => {
    const others = [...answers].filter(([name, answer]) => answer !== whole.get(name));
    const isForgotten = ([name, answer]: [string, string]) =>
      type === 'hg' && namesOldId.has(name) && answer === 'error: unknown-revision';
    // Mercurial loops where a changeset has become its own ancestor.
    const isError = ([, answer]: [string, string]) => ['error: failed', 'error: timeout'].includes(answer);
    expect(others.filter((one) => !isError(one) && !isForgotten(one))).toEqual([]);
    if (others.some(isForgotten)) {
      await expect(bench.backends.hg.verify(path, neverAborted)).rejects.toMatchObject({ kind: 'damaged' });
    }
    return others.filter(([, answer]) => answer === 'error: failed').length;
  };

  it.each(damages[type])(
    '%s %s: the right answer or an error, and other repositories are served',
    { timeout: samplingMsMax + 30_000 },
    async (pattern, kind) => {
      let shrinkUntil = Infinity;
      const isContained = fc.asyncProperty(damageOf(kind), async (damage) => {
        // What is not played counts as passed: the smallest failure so far is reported.
        if (performance.now() > shrinkUntil) return;
        await play(damage).catch((error: unknown) => {
          shrinkUntil = Math.min(shrinkUntil, performance.now() + shrinkingMsMax);
          throw error;
        });
      });
      const play = async (damage: Damage) => {
        const [path, copy] = [bench.freshPath(), bench.freshPath()];
        await cp(sample, path, { recursive: true });
        await damageFiles(type === 'hg' ? join(path, '.hg') : path, pattern, damage);
        const { answers, recorded } = await readAll(type, path);
        expect(recorded()).toBe(await failuresIn(answers, path));

        // A copy fails, or reads of it give the right answer or an error.
        const copied = await bench.backends[type].fork(path, copy, 'uuid', neverAborted).then(
          () => true,
          () => false,
        );
        if (copied) await failuresIn((await readAll(type, copy, ['nodes', 'changeset', 'file'])).answers, copy);
        const { answers: neighbour } = await readAll(type, sample, ['tip', 'nodes']);
        expect([...neighbour].filter(([name, answer]) => answer !== whole.get(name))).toEqual([]);
        await Promise.all([path, copy].map((made) => rm(made, { recursive: true, force: true })));
      };
      const limit = { interruptAfterTimeLimit: samplingMsMax, markInterruptAsFailure: true };
      await fc.assert(isContained, { seed, numRuns: rounds, ...limit });
    },
  );
});
