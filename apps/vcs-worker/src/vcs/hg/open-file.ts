import { nameBytes, nameText } from '@trunkline/runtime/text';
import type { OpenFile } from '../content.ts';
import { normalizeRoot } from '../root-path.ts';
import { VcsError } from '../vcs-error.ts';
import type { HgCommands } from './hg-commands.ts';
import type { HgContentTools } from './hg-stream.ts';
import { readManifestFlags } from './list-files.ts';
import { readSubrepositories } from './subrepositories.ts';

/** Largest content that a kept server reads; a separate process streams larger files at the reader's pace. */
const keptBytesMax = 1024 * 1024;
/** Limit of the answer beside the file's path: for a directory, `hg files` lists every file below it. */
const answerBytesMax = 64 * 1024;

interface Found {
  readonly size: number;
  readonly flags: string;
}

/** Finds size and flags of a file; returns undefined when nothing has the path, `directory` when files lie below it. */
async function find(
  hg: HgCommands,
  path: string,
  rawId: string,
  file: string,
): Promise<Found | 'directory' | undefined> {
  const args = ['files', `--rev=${rawId}`, '--template={path}\\0{size}\\0{flags}\\0', '--', `path:${file}`];
  const limits = { stdoutBytesMax: answerBytesMax + nameBytes(file).length };
  const { exitCode, stdout } = await hg.tryRun(path, args, limits).catch((error: unknown) => {
    if (error instanceof VcsError && error.kind === 'too-large') return { exitCode: 0, stdout: Buffer.alloc(0) };
    throw error;
  });
  // `hg files` fails on a broken .hgsub, and on a path below a subrepository.
  if (exitCode !== 0 && exitCode !== 1) return findInManifest(hg, path, rawId, file);
  const [found, size, flags, ...rest] = nameText(stdout).split('\0');
  if (found === file && flags !== undefined && rest.length === 1) return { size: Number(size), flags };
  return exitCode === 0 ? 'directory' : undefined;
}

async function findInManifest(hg: HgCommands, path: string, rawId: string, file: string): Promise<Found | undefined> {
  const flags = (await readManifestFlags(hg, path, rawId)).get(file);
  if (flags === undefined) return undefined;
  const size = await hg.run(path, ['cat', `--rev=${rawId}`, '--template={size}', '--', `path:${file}`]);
  return { size: Number(size.toString()), flags };
}

async function* chunkOf(content: Uint8Array): AsyncGenerator<Uint8Array> {
  if (content.length > 0) yield content;
}

/** Opens one file; VcsError `is-submodule` or `unknown-path` says why there is none. */
export async function openHgFile(
  { hg, stream }: HgContentTools,
  path: string,
  rawId: string,
  requested: string,
): Promise<OpenFile> {
  const file = normalizeRoot(requested);
  const found = file === '' ? 'directory' : await find(hg, path, rawId, file);
  if (found === undefined && (await readSubrepositories(hg, path, rawId)).has(file)) {
    throw new VcsError('is-submodule', 'a subrepository');
  }
  if (found === undefined || found === 'directory') throw new VcsError('unknown-path', 'no file');
  const args = ['cat', `--rev=${rawId}`, '--', `path:${file}`];
  const flags = { executable: found.flags.includes('x'), symlink: found.flags.includes('l') };
  if (found.size > keptBytesMax) return { ...flags, size: found.size, content: stream(path, args) };
  // The size that `hg files` prints may count an escape that Mercurial stores before the content.
  const content = await hg.run(path, args);
  return { ...flags, size: content.length, content: chunkOf(content) };
}
