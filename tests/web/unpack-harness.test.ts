import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { git } from '../harness/remotes.ts';
import { unpack, type ArchiveKind } from '../harness/unpack.ts';
import { toolCommand } from '../harness/tool-command.ts';

const directory = await mkdtemp(join(tmpdir(), 'trunkline-unpack-harness-'));
afterAll(() => rm(directory, { recursive: true, force: true }));

await mkdir(join(directory, 'sub'));
await writeFile(join(directory, 'sub', 'fünf ä.txt'), 'text');
await writeFile(join(directory, 'run'), '#!/bin/sh\n');
await chmod(join(directory, 'run'), 0o755);
await symlink('sub/fünf ä.txt', join(directory, 'link'));
await git(directory, 'init', '-q', '.');
await git(directory, 'add', '-A');
await git(directory, 'commit', '-q', '-m', 'files');

async function archive(kind: ArchiveKind): Promise<Buffer> {
  const [bzip2, ...prefix] = toolCommand('TRUNKLINE_BZIP2_COMMAND', 'bzip2');
  const format = kind === 'tar.bz2' ? 'tar' : kind;
  const path = join(directory, `archive.${format}`);
  await git(directory, 'archive', `--format=${format}`, '--prefix=top/', '-o', path, 'HEAD');
  if (kind !== 'tar.bz2') return readFile(path);
  const options = { encoding: 'buffer', maxBuffer: 1 << 28 } as const;
  return (await promisify(execFile)(bzip2, [...prefix, '-c', path], options)).stdout;
}

const kinds = ['zip', 'tar', 'tar.gz', 'tar.bz2'] as const;

describe.each(kinds)('%s', (kind) => {
  it('returns the content of an archive', async () => {
    const { names, files } = await unpack(await archive(kind), kind);
    expect(names.toSorted()).toEqual(['top/', 'top/link', 'top/run', 'top/sub/', 'top/sub/fünf ä.txt']);
    expect(Object.fromEntries(files)).toEqual({
      'top/link': { type: 'link', target: 'sub/fünf ä.txt' },
      'top/run': { type: 'file', content: Buffer.from('#!/bin/sh\n'), executable: true },
      'top/sub/fünf ä.txt': { type: 'file', content: Buffer.from('text'), executable: false },
    });
  });

  it('refuses an archive that is cut off or of another kind', async () => {
    const bytes = await archive(kind);
    await expect(unpack(bytes.subarray(0, bytes.length / 3), kind)).rejects.toThrow(/Command failed|has no end/);
    for (const other of kinds.filter((one) => one !== kind)) {
      await expect(unpack(bytes, other)).rejects.toThrow(/Command failed|has no end/);
    }
  });
});
