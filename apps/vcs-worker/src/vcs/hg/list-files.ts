import { VcsError } from '../vcs-error.ts';
import type { HgCommands } from './hg-commands.ts';

/** Names are bytes; what is no UTF-8 is shown with replacement characters. */
function names(output: Buffer): string[] {
  return output.toString('utf8').split('\0').filter(Boolean);
}

/** The full paths of a directory's files at a changeset; of none only at the root. */
export async function listFiles(hg: HgCommands, path: string, rawId: string, directory: string): Promise<string[]> {
  const within = directory === '' ? '' : `${directory}/`;
  const pattern = directory === '' ? [] : ['--', `path:${directory}`];
  const { exitCode, stdout } = await hg.tryRead(path, ['files', `--rev=${rawId}`, '--print0', ...pattern]);
  // 1 means that nothing matched. `files` also reads .hgsub and fails on a broken one and on what it names.
  const all =
    exitCode === 0 || exitCode === 1
      ? stdout
      : await hg.read(path, ['manifest', `--rev=${rawId}`, '--template={path}\\0']);
  const files = names(all).filter((name) => name.startsWith(within));
  if (files.length === 0 && directory !== '') throw new VcsError('unknown-path', 'no directory');
  return files;
}
