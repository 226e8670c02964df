import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { archiveFormats, type ArchiveFormat } from './content.ts';
import { collectBytes } from '../collect-bytes.ts';
import { harmlessNames, harmlessTree, hostileInZip, hostileTrees } from './testing/hostile-trees.ts';
import { freshHg } from './testing/odd-hg.ts';
import { plantGit, type PlantedTree } from './testing/plant-git.ts';
import { plantHg, type PlantedManifest } from './testing/plant-hg.ts';
import { commandLines } from './testing/processes.ts';
import { hg } from './testing/tools.ts';
import { openWorkbench, type Workbench } from './testing/workbench.ts';

let bench: Workbench;

beforeAll(async () => {
  bench = await openWorkbench();
});
afterAll(() => bench.close());

interface Planted {
  readonly type: 'git' | 'hg';
  readonly path: string;
  readonly rawId: string;
}

async function planted({ git, hg: manifest }: { git?: PlantedTree; hg?: PlantedManifest }): Promise<Planted[]> {
  const made: Planted[] = [];
  if (git) {
    const path = bench.freshPath();
    await bench.backends.git.init(path, 'uuid');
    made.push({ type: 'git', path, rawId: await plantGit(path, git) });
  }
  if (manifest) {
    const path = await freshHg(bench.freshPath());
    made.push({ type: 'hg', path, rawId: await plantHg(path, manifest) });
  }
  return made;
}

const archiveOf = ({ type, path, rawId }: Planted, format: ArchiveFormat) =>
  bench.backends[type].archive(path, rawId, { format, prefix: 'p', subrepos: false });

/** Reads an archive to its end; returns `packed`, or the kind of the error and the number of chunks before it. */
async function outcomeOf(made: Planted, format: ArchiveFormat): Promise<unknown> {
  let pieces = 0;
  try {
    for await (const piece of archiveOf(made, format)) pieces += piece.length > 0 ? 1 : 0;
    return 'packed';
  } catch (error) {
    return [(error as { kind?: unknown }).kind, pieces];
  }
}

describe('D9 not a byte of an archive is sent for', () => {
  it.each(Object.entries(hostileTrees))('%s', async (_, hostile) => {
    for (const made of await planted(hostile)) {
      for (const format of archiveFormats) {
        expect([made.type, format, await outcomeOf(made, format)]).toEqual([made.type, format, ['not-archivable', 0]]);
      }
    }
  });

  it.each(Object.entries(hostileInZip))('%s, as zip', async (_, hostile) => {
    for (const made of await planted(hostile)) {
      expect([made.type, await outcomeOf(made, 'zip')]).toEqual([made.type, ['not-zippable', 0]]);
      for (const format of ['tar', 'tar.gz', 'tar.bz2'] as const) expect(await outcomeOf(made, format)).toBe('packed');
    }
  });

  it('a manifest with a name twice, which Mercurial itself cannot read', async () => {
    for (const node of [{ link: '/tmp' }, { file: 'x' }]) {
      const [made] = await planted({
        hg: [
          ['a', node],
          ['a', { file: 'y' }],
        ],
      });
      for (const format of archiveFormats) expect(made && (await outcomeOf(made, format))).toEqual(['failed', 0]);
    }
  });
});

it.each(archiveFormats)('D9 a %s of names that only look dangerous is packed', async (format) => {
  for (const made of await planted(harmlessTree)) expect(await outcomeOf(made, format)).toBe('packed');
});

it('a committed .hg_archival.txt is in an archive once, as committed, without Mercurial’s own', async () => {
  for (const manifest of [
    [['.hg_archival.txt', { file: 'own' }]],
    [['.hg_archival.txt/x', { file: 'own' }]],
  ] as const) {
    const [made] = await planted({ hg: manifest });
    const tar = made && (await collectBytes(archiveOf(made, 'tar'))).toString('latin1');
    expect(tar?.split('p/.hg_archival.txt')).toHaveLength(2);
    expect(tar).toContain('own');
    expect(tar).not.toContain('latesttag');
  }
});

it('D11 kept servers answer as before after an archive was refused', async () => {
  const made = (await planted(hostileTrees['an absolute name'] ?? {})).filter(({ type }) => type === 'hg');
  for (let turn = 0; turn < 5; turn += 1) {
    for (const one of made) expect(await outcomeOf(one, 'zip')).toEqual(['not-archivable', 0]);
  }
  const [good] = await planted({ hg: harmlessTree.hg });
  const nodes = await bench.backends.hg.nodes(good?.path ?? '', good?.rawId ?? '', '');
  expect(
    nodes
      .filter(({ type }) => type === 'file')
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(harmlessNames);
  expect(await hg(good?.path ?? '', 'manifest', '-r', 'tip')).toBe(harmlessNames.join('\n'));
});

it.each(['git', 'hg'] as const)('D12 a reader that stops while names are read leaves no process (%s)', async (type) => {
  const [made] = (await planted(harmlessTree)).filter((one) => one.type === type);
  if (!made) throw new Error('nothing planted');
  const pieces = archiveOf(made, 'tar')[Symbol.asyncIterator]();
  const first = pieces.next();
  await pieces.return?.();
  await first.catch(() => {});
  await vi.waitFor(
    async () => {
      const lines = [...(await commandLines()).values()].filter((line) => line.includes(made.path));
      expect(lines).toEqual([]);
    },
    { timeout: 20_000 },
  );
});
