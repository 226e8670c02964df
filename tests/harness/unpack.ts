import { execFile } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { testTool } from './test-tool.ts';
import { toolCommand } from './tool-command.ts';

export type ArchiveKind = 'zip' | 'tar' | 'tar.gz' | 'tar.bz2';

export type ArchivedFile =
  | { readonly type: 'file'; readonly content: Buffer; readonly executable: boolean }
  | { readonly type: 'link'; readonly target: string };

export interface UnpackedArchive {
  /** Names as the archive lists them, directories included. */
  readonly names: readonly string[];
  /** Unpacked files and links by name. */
  readonly files: ReadonlyMap<string, ArchivedFile>;
}

const env = { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', TZ: 'UTC' };

// tar does not detect the compression of its stdin, so the options name it.
async function runWithInput(file: string, args: readonly string[], input: Uint8Array): Promise<string> {
  const running = promisify(execFile)(file, args, { env, maxBuffer: 1 << 28 });
  running.child.stdin?.on('error', () => {});
  running.child.stdin?.end(input);
  return (await running).stdout;
}

function decompression(kind: Exclude<ArchiveKind, 'zip'>): readonly string[] {
  if (kind === 'tar') return [];
  return kind === 'tar.gz' ? ['-z'] : ['-I', toolCommand('TRUNKLINE_BZIP2_COMMAND', 'bzip2').join(' ')];
}

async function untar(bytes: Uint8Array, kind: Exclude<ArchiveKind, 'zip'>, target: string): Promise<string> {
  // tar itself accepts an archive that lacks whole files at its end.
  if (kind === 'tar' && bytes.subarray(-1024).some((byte) => byte !== 0)) throw new Error('The tar has no end');
  const options = decompression(kind);
  await runWithInput('tar', [...options, '--no-same-owner', '-C', target, '-xpf', '-'], bytes);
  return runWithInput('tar', [...options, '--quoting-style=literal', '-tf', '-'], bytes);
}

async function unzip(bytes: Uint8Array, archive: string, target: string): Promise<string> {
  await writeFile(archive, bytes);
  await runWithInput(testTool('UNZIP'), ['-q', archive, '-d', target], Buffer.alloc(0));
  return runWithInput(testTool('UNZIP'), ['-Z1', archive], Buffer.alloc(0));
}

async function readEntry(path: string): Promise<ArchivedFile> {
  const status = await lstat(path);
  if (status.isSymbolicLink()) return { type: 'link', target: await readlink(path) };
  return { type: 'file', content: await readFile(path), executable: (status.mode & 0o111) !== 0 };
}

/** Unpacks an archive with tar or unzip; rejects when the archive is damaged or of another kind. */
export async function unpack(bytes: Uint8Array, kind: ArchiveKind): Promise<UnpackedArchive> {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-unpack-'));
  const target = join(directory, 'target');
  try {
    await mkdir(target);
    const listing = kind === 'zip' ? unzip(bytes, join(directory, 'archive.zip'), target) : untar(bytes, kind, target);
    const names = (await listing).split('\n').filter(Boolean);
    const found = await readdir(target, { recursive: true, withFileTypes: true });
    const paths = found.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
    const entries = paths.map(async (path) => [relative(target, path), await readEntry(path)] as const);
    return { names, files: new Map(await Promise.all(entries)) };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
