import type { HgCommands } from './hg-commands.ts';

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
    output
      .toString('utf8')
      .split('\0')
      .map((line): [string, string] => {
        const mark = line.slice(0, line.indexOf(':'));
        return [line.slice(mark.length + 1), marks.get(mark) ?? ''];
      }),
  );
}
