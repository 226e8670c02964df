import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  harmlessNames,
  harmlessTree,
  hostileInZip,
  hostileTrees,
} from '../../apps/vcs-worker/src/vcs/testing/hostile-trees.ts';
import { plantGit, type PlantedTree } from '../../apps/vcs-worker/src/vcs/testing/plant-git.ts';
import { plantHg, type PlantedManifest } from '../../apps/vcs-worker/src/vcs/testing/plant-hg.ts';
import { makeGitRemote, makeHgRemote } from '../harness/remotes.ts';
import { admin, repositoryTypes, storagePathOf, uniqueName, type RepositoryType } from '../harness/shared-cluster.ts';
import { testTool } from '../harness/test-tool.ts';
import { toolCommand } from '../harness/tool-command.ts';
import type { ArchiveKind } from '../harness/unpack.ts';
import type { WebClient } from '../harness/web-client.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

const run = promisify(execFile);
const kinds: readonly ArchiveKind[] = ['zip', 'tar', 'tar.gz', 'tar.bz2'];

let web: WebClient;

beforeAll(async () => {
  ({ web } = await makeVisitor());
});

interface Planted {
  readonly git?: PlantedTree;
  readonly hg?: PlantedManifest;
}

/** Imports a repository with a planted tree, and returns its name. One of git, of which no copy takes such a tree, gets it afterwards. */
async function imported(type: RepositoryType, { git, hg }: Planted): Promise<string> {
  const remote = type === 'git' ? await makeGitRemote() : await makeHgRemote();
  try {
    if (type === 'hg') await plantHg(remote.directory, hg ?? []);
    const name = uniqueName(type);
    const args = { repo_name: name, repo_type: type, clone_uri: remote.url, enable_downloads: true };
    await admin.result('create_repo', args);
    if (type === 'git') {
      await plantGit(await storagePathOf(name), git ?? []);
      await admin.result('invalidate_cache', { repoid: name });
    }
    return name;
  } finally {
    await remote.close();
  }
}

/** Returns the trees that are possible in a repository of this type. */
function treesFor(type: RepositoryType) {
  return Object.entries(hostileTrees).filter(([, tree]) => tree[type]);
}

describe.each(repositoryTypes)('D9 an archive of an imported %s repository', (type) => {
  it.each(treesFor(type))('with %s is refused', async (_, hostile) => {
    const name = await imported(type, hostile);
    for (const kind of kinds) {
      const { status, headers, text } = await web.get(`/${name}/archive/tip.${kind}`);
      expect([kind, status, headers.get('content-disposition')]).toEqual([kind, 422, null]);
      expect(text).toContain('This changeset cannot be downloaded as an archive: names in it clash, or lead out of');
    }
  });

  it.each(Object.entries(hostileInZip))('with %s is refused as zip only', async (_, hostile) => {
    const name = await imported(type, hostile);
    for (const kind of kinds) {
      const { status, text } = await web.get(`/${name}/archive/tip.${kind}`);
      const refused = text.includes('This changeset cannot be downloaded as zip');
      expect([kind, status, refused]).toEqual([kind, ...(kind === 'zip' ? [422, true] : [200, false])]);
    }
  });
});

// Extracts an archive without any check: each entry is written to its own path.
const python = `import sys, tarfile, zipfile
archive, target = sys.argv[1:]
if archive.endswith('zip'):
    zipfile.ZipFile(archive).extractall(target)
else:
    trust = {'filter': 'fully_trusted'} if hasattr(tarfile, 'fully_trusted_filter') else {}
    tarfile.open(archive).extractall(target, **trust)
`;

async function unpackWith(
  tool: 'python' | 'native',
  archive: string,
  kind: ArchiveKind,
  target: string,
): Promise<void> {
  const bzip2 = toolCommand('TRUNKLINE_BZIP2_COMMAND', 'bzip2').join(' ');
  if (tool === 'python') await run('python3', ['-c', python, archive, target]);
  else if (kind === 'zip') await run(testTool('UNZIP'), ['-q', archive, '-d', target]);
  else await run('tar', [...(kind === 'tar.bz2' ? ['-I', bzip2] : []), '-xf', archive, '-C', target]);
}

describe.each(repositoryTypes)('D9 names that only look dangerous in a %s repository', (type) => {
  let name = '';
  let directory = '';
  beforeAll(async () => {
    name = await imported(type, harmlessTree);
    directory = await mkdtemp(join(tmpdir(), 'trunkline-archives-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it.each(kinds.flatMap((kind) => (['native', 'python'] as const).map((tool) => [kind, tool] as const)))(
    'is unpacked from a %s, by %s tools, below its one directory',
    async (kind, tool) => {
      const { status, bytes } = await web.get(`/${name}/archive/tip.${kind}`);
      expect(status).toBe(200);
      const around = join(directory, `${tool}-${kind}`);
      const archive = join(directory, `archive.${kind}`);
      await mkdir(join(around, 'target'), { recursive: true });
      await writeFile(archive, bytes);
      await unpackWith(tool, archive, kind, join(around, 'target'));
      expect(await readdir(around)).toEqual(['target']);
      const [top = '', ...others] = await readdir(join(around, 'target'));
      expect([top.startsWith(`${name}-`), others]).toEqual([true, []]);
      const found = await readdir(join(around, 'target', top), { recursive: true, withFileTypes: true });
      const files = found.filter((entry) => !entry.isDirectory());
      const paths = files.map((entry) => relative(join(around, 'target', top), join(entry.parentPath, entry.name)));
      expect(paths.filter((path) => path !== '.hg_archival.txt').toSorted()).toEqual(harmlessNames);
    },
  );
});
