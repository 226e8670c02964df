import type { HgCommands } from './hg-commands.ts';

const marks = new Map([
  ['@', 'l'],
  ['*', 'x'],
]);

/** The flags of every file by its path; for where .hgsub is broken, which all other commands read. */
export async function readManifestFlags(
  hg: HgCommands,
  path: string,
  rawId: string,
): Promise<ReadonlyMap<string, string>> {
  const output = await hg.read(path, ['manifest', `--rev=${rawId}`, '--template={type}:{path}\\0']);
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
