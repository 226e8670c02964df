import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { VcsBackend } from './backend.ts';
import { feedGit } from './testing/feed-git.ts';
import { deltaBomb, endlessPack, hostileGit, hugeTree } from './testing/hostile-git.ts';
import { endlessChangeset, hostileHg, zeroBomb } from './testing/hostile-hg.ts';
import { descendantsOf, peakMemory } from './testing/processes.ts';
import { serve } from './testing/serve.ts';
import { commitGit, commitHg } from './testing/tools.ts';
import { makeSource, neverAborted, openWorkbench, remoteOf, type Workbench } from './testing/workbench.ts';

const mebibyte = 1 << 20;
const memoryBytesMax = 400 * mebibyte;
const refs = ['HEAD', 'refs/heads/main'];

let bench: Workbench;

beforeAll(async () => {
  bench = await openWorkbench();
});
afterAll(() => bench.close());

const bombs = {
  git: {
    'a delta that makes 1 GB of 16 KB': () => hostileGit(refs, (response) => response.end(deltaBomb(64))),
    'an object with a declared size of 100 GB': () => hostileGit(refs, (response) => response.end(hugeTree(1e11, 100))),
    'an object of 500 MB that cannot be read in pieces': () =>
      hostileGit(refs, (response) => response.end(hugeTree(500 * mebibyte, 500 * mebibyte))),
  },
  hg: {
    'a changeset that unpacks to 500 MB': () => hostileHg(zeroBomb(500 * mebibyte)),
    'a changeset that unpacks to almost 2 GB': () => hostileHg(zeroBomb(1_900 * mebibyte)),
  },
} satisfies Record<string, Record<string, () => RequestListener>>;

describe.each(['git', 'hg'] as const)('D8 %s', (type) => {
  let backend: VcsBackend;
  let innocent = '';
  let rawId = '';
  beforeAll(async () => {
    backend = (await bench.open({ memoryBytesMax }))[type];
    const source = await makeSource(bench, type);
    rawId = await { git: commitGit, hg: commitHg }[type](source.directory, { a: 'a' });
    innocent = source.url;
  });

  const imported = async (url: string, using = backend) => {
    const path = bench.freshPath();
    await using.importFrom(path, 'uuid', remoteOf(type, url), neverAborted);
    return path;
  };

  async function expectInnocentWorks(): Promise<void> {
    expect(await backend.tip(await imported(innocent))).toMatchObject({ rawId });
  }

  it.each(Object.entries(bombs[type]))('%s is refused, in bounded memory', async (_name, bomb) => {
    const { url } = bench.closeLater(await serve(bomb()));
    const before = new Set(await descendantsOf(process.pid));
    const own = process.memoryUsage().rss;
    const peak = await peakMemory(process.pid, async () => {
      await expect(imported(`${url}/x`)).rejects.toMatchObject({ failure: 'too large' });
    });
    expect(peak.child).toBeLessThan(memoryBytesMax);
    expect(peak.own - own).toBeLessThan(200 * mebibyte);
    await vi.waitFor(
      async () => {
        expect((await descendantsOf(process.pid)).filter((id) => !before.has(id))).toEqual([]);
      },
      { timeout: 20_000 },
    );
    await expectInnocentWorks();
  });

  it('an import from a remote that sends bytes without end fails at the timeout', async () => {
    const { url } = bench.closeLater(
      await serve(type === 'git' ? hostileGit(refs, endlessPack) : hostileHg(endlessChangeset)),
    );
    const hasty = await bench.open({ fetchTimeoutMs: 2_000 });
    await expect(imported(`${url}/x`, hasty[type])).rejects.toMatchObject({ kind: 'timeout' });
    await expectInnocentWorks();
  });
});

it('D8 100 000 references of a remote are read in bounded memory, and an import without their commit fails', async () => {
  const many = ['HEAD', ...Array.from({ length: 100_000 }, (_, index) => `refs/heads/branch-${index}`)];
  const { url } = bench.closeLater(await serve(hostileGit(many, (response) => response.end(hugeTree(1, 1)))));
  const remote = remoteOf('git', `${url}/x`);
  const { git } = await bench.open({ memoryBytesMax, fetchTimeoutMs: 100_000 });
  const own = process.memoryUsage().rss;
  const peak = await peakMemory(process.pid, async () => {
    await git.checkRemote(remote, neverAborted);
    await expect(git.importFrom(bench.freshPath(), 'uuid', remote, neverAborted)).rejects.toMatchObject({
      kind: 'remote-failed',
    });
  });
  expect(peak.child).toBeLessThan(memoryBytesMax);
  expect(peak.own - own).toBeLessThan(400 * mebibyte);
}, 120_000);

it('D8 a repository larger than the address space of a process can be read', async () => {
  const { git } = await bench.open({ memoryBytesMax: 340 * mebibyte });
  const path = bench.freshPath();
  await git.init(path, 'uuid');
  const content = randomBytes(9 * mebibyte);
  const files = Array.from({ length: 40 }, (_, index) => {
    content.writeUInt32BE(index, 0);
    return [Buffer.from(`M 644 inline f${index}\ndata ${content.length}\n`), Buffer.from(content)];
  });
  const head = Buffer.from('commit refs/heads/master\ncommitter A <a@b> 1 +0000\ndata 1\nx\n');
  // Stores the files without deltas and compression, so that the import takes no time.
  const settings = ['-c', 'core.bigFileThreshold=1', '-c', 'core.compression=0', '-c', 'fastimport.unpackLimit=1'];
  await feedGit(path, [...settings, 'fast-import', '--quiet'], Buffer.concat([head, ...files.flat()]));
  const tip = await git.resolveRevision(path, 'tip');
  let bytes = 0;
  for await (const chunk of git.archive(path, tip, { format: 'tar', prefix: 'x', subrepos: false }))
    bytes += chunk.length;
  expect(bytes).toBeGreaterThanOrEqual(360 * mebibyte);
});
