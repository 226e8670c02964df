import type { OpenFile } from '../content.ts';
import { normalizeRoot } from '../root-path.ts';
import { VcsError } from '../vcs-error.ts';
import type { HgCommands } from './hg-commands.ts';
import type { HgStream } from './hg-words.ts';
import { listFiles } from './list-files.ts';

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
  const args = ['cat', `--rev=${rawId}`, '--template={path}\\0{size}\\0{flags}\\0', '--', `path:${file}`];
  const limits = { stdoutBytesMax: answerBytesMax + Buffer.byteLength(file) };
  const { exitCode, stdout } = await hg.tryRead(path, args, limits).catch((error: unknown) => {
    if (error instanceof VcsError && error.kind === 'too-large') return { exitCode: 1, stdout: Buffer.alloc(0) };
    throw error;
  });
  const [found, size, flags, ...rest] = stdout.toString('utf8').split('\0');
  if (exitCode === 0 && found === file && flags !== undefined && rest.length === 1)
    return { size: Number(size), flags };
  // Where it finds no file, `cat` also looks for subrepositories and fails on a broken .hgsub.
  if (exitCode !== 0 && exitCode !== 1) await listFiles(hg, path, rawId, '');
  return undefined;
}

async function* only(content: Uint8Array): AsyncGenerator<Uint8Array> {
  if (content.length > 0) yield content;
}

/** One file. */
export async function openHgFile(
  { hg, stream }: { readonly hg: HgCommands; readonly stream: HgStream },
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
