/** Settings of every hg process. */
export const hgSettings = [
  '--config=ui.interactive=False',
  '--config=ui.timeout=2',
  '--config=ui.relative-paths=False',
  // Otherwise a command that reads the path of a subrepository would make an empty repository there.
  '--config=subrepos.allowed=False',
];

/** Returns the words that start every hg process: the program and its global settings. */
export function hgArgv(hgCommand: readonly string[]): readonly string[] {
  return [...hgCommand, ...hgSettings];
}

/** Puts the repository before the command and spells its option out: with strict flags hg reads it nowhere else. */
export function onRepository(path: string, args: readonly string[]): readonly string[] {
  return [`--repository=${path}`, ...args];
}
