import type { OpenFile } from '../content.ts';
import { normalizeRoot } from '../root-path.ts';
import { VcsError } from '../vcs-error.ts';
import type { HgCommands } from './hg-commands.ts';
import type { HgContentTools } from './hg-content-tools.ts';
import { readManifestFlags } from './manifest-flags.ts';

/** What is larger is streamed by a process of its own: a kept server knows no reader's pace. */
const keptBytesMax = 1024 * 1024;
/** Of a directory everything below it would be told. */
const answerBytesMax = 64 * 1024;

interface Found {
  readonly size: number;
  readonly flags: string;
}

/** Undefined where there is none or it is no file. */
async function find(hg: HgCommands, path: string, rawId: string, file: string): Promise<Found | undefined> {
  const args = ['files', `--rev=${rawId}`, '--template={path}\\0{size}\\0{flags}\\0', '--', `path:${file}`];
  const limits = { stdoutBytesMax: answerBytesMax + Buffer.byteLength(file) };
  const { exitCode, stdout } = await hg.tryRead(path, args, limits).catch((error: unknown) => {
    if (error instanceof VcsError && error.kind === 'too-large') return { exitCode: 1, stdout: Buffer.alloc(0) };
    throw error;
  });
  // It fails on a broken .hgsub, and on what is below a subrepository.
  if (exitCode !== 0 && exitCode !== 1) return findInManifest(hg, path, rawId, file);
  const [found, size, flags, ...rest] = stdout.toString('utf8').split('\0');
  return found === file && flags !== undefined && rest.length === 1 ? { size: Number(size), flags } : undefined;
}

async function findInManifest(hg: HgCommands, path: string, rawId: string, file: string): Promise<Found | undefined> {
  const flags = (await readManifestFlags(hg, path, rawId)).get(file);
  if (flags === undefined) return undefined;
  const size = await hg.read(path, ['cat', `--rev=${rawId}`, '--template={size}', '--', `path:${file}`]);
  return { size: Number(size.toString()), flags };
}

async function* only(content: Uint8Array): AsyncGenerator<Uint8Array> {
  if (content.length > 0) yield content;
}

/** One file. */
export async function openHgFile(
  { hg, stream }: HgContentTools,
  path: string,
  rawId: string,
  sent: string,
): Promise<OpenFile> {
  const file = normalizeRoot(sent);
  const found = file === '' ? undefined : await find(hg, path, rawId, file);
  if (!found) throw new VcsError('unknown-path', 'no file');
  const args = ['cat', `--rev=${rawId}`, '--', `path:${file}`];
  const flags = { executable: found.flags.includes('x'), symlink: found.flags.includes('l') };
  if (found.size > keptBytesMax) return { ...flags, size: found.size, content: stream(path, args) };
  // Its size as listed may count an escape that the content begins with.
  const content = await hg.read(path, args);
  return { ...flags, size: content.length, content: only(content) };
}
