import { VcsError } from '../vcs-error.ts';
import type { HgCommands, ReadOptions } from './hg-commands.ts';

/** The names of a directory's files at a changeset as bytes, each followed by NUL. */
export async function readNames(
  hg: HgCommands,
  path: string,
  rawId: string,
  directory: string,
  options?: ReadOptions,
): Promise<Buffer> {
  const pattern = directory === '' ? [] : ['--', `path:${directory}`];
  const { exitCode, stdout } = await hg.tryRead(path, ['files', `--rev=${rawId}`, '--print0', ...pattern], options);
  // 1 means that nothing matched. `files` also reads .hgsub and fails on a broken one and on what it names.
  if (exitCode === 0 || exitCode === 1) return stdout;
  return hg.read(path, ['manifest', `--rev=${rawId}`, '--template={path}\\0'], options);
}

/** The full paths of a directory's files at a changeset; of none only at the root. */
export async function listFiles(hg: HgCommands, path: string, rawId: string, directory: string): Promise<string[]> {
  const files = await filesBelow(hg, path, rawId, directory);
  if (files.length === 0 && directory !== '') throw new VcsError('unknown-path', 'no directory');
  return files;
}

/** The same, and nothing where there is no directory. Bytes that are no UTF-8 are shown as replacement characters. */
export async function filesBelow(hg: HgCommands, path: string, rawId: string, directory: string): Promise<string[]> {
  const within = directory === '' ? '' : `${directory}/`;
  const names = (await readNames(hg, path, rawId, directory)).toString('utf8').split('\0');
  return names.filter((name) => name !== '' && name.startsWith(within));
}
