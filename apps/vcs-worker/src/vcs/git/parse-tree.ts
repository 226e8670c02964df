/** Parses the output of `ls-tree -z`; leaves out submodules, which count as neither files nor directories. */
export function* parseTree(output: Buffer): Iterable<{ path: string; isDirectory: boolean }> {
  // Names are bytes; those that are not valid UTF-8 become replacement characters.
  for (const entry of output.toString('utf8').split('\0')) {
    const tab = entry.indexOf('\t');
    if (tab < 0) continue;
    const type = entry.slice(7, 11);
    if (type !== 'comm') yield { path: entry.slice(tab + 1), isDirectory: type === 'tree' };
  }
}
