import { nameText } from '@trunkline/runtime/text';
import { VcsError } from '../vcs-error.ts';
import type { HgCommandOptions, HgCommands } from './hg-commands.ts';

/** Returns the full paths of all files below a directory at a changeset as bytes, each followed by NUL. */
export async function readNames(
  hg: HgCommands,
  path: string,
  rawId: string,
  directory: string,
  options?: HgCommandOptions,
): Promise<Buffer> {
  const pattern = directory === '' ? [] : ['--', `path:${directory}`];
  const { exitCode, stdout } = await hg.tryRun(path, ['files', `--rev=${rawId}`, '--print0', ...pattern], options);
  // 1 means that no file matched. `hg files` also reads .hgsub, and fails on a broken one and on paths that it names.
  if (exitCode === 0 || exitCode === 1) return stdout;
  return hg.run(path, ['manifest', `--rev=${rawId}`, '--template={path}\\0'], options);
}

/** Returns the full paths of all files below a directory; throws VcsError `unknown-path` for none below the root. */
export async function listFiles(hg: HgCommands, path: string, rawId: string, directory: string): Promise<string[]> {
  const files = await filesBelow(hg, path, rawId, directory);
  if (files.length === 0 && directory !== '') throw new VcsError('unknown-path', 'no directory');
  return files;
}

/** Returns the full paths of all files below a directory, or none. */
export async function filesBelow(hg: HgCommands, path: string, rawId: string, directory: string): Promise<string[]> {
  const within = directory === '' ? '' : `${directory}/`;
  const names = nameText(await readNames(hg, path, rawId, directory)).split('\0');
  return names.filter((name) => name !== '' && name.startsWith(within));
}

/** Mercurial's flags (`l` for a link, `x` for an executable file) by the marks that the template's `{type}` prints. */
const marks = new Map([
  ['@', 'l'],
  ['*', 'x'],
]);

/** Returns the flags of every file by its path. `hg manifest` works with a broken .hgsub, which other commands read. */
export async function readManifestFlags(
  hg: HgCommands,
  path: string,
  rawId: string,
): Promise<ReadonlyMap<string, string>> {
  const output = await hg.run(path, ['manifest', `--rev=${rawId}`, '--template={type}:{path}\\0']);
  return new Map(
    nameText(output)
      .split('\0')
      .map((line): [string, string] => {
        const mark = line.slice(0, line.indexOf(':'));
        return [line.slice(mark.length + 1), marks.get(mark) ?? ''];
      }),
  );
}
