/** The entries that `ls-tree -z` prints, without submodules: they are neither files nor directories here. */
export function* parseTree(output: Buffer): Iterable<{ path: string; isDirectory: boolean }> {
  // Names are bytes; what is no UTF-8 is shown with replacement characters.
  for (const entry of output.toString('utf8').split('\0')) {
    const tab = entry.indexOf('\t');
    if (tab < 0) continue;
    const type = entry.slice(7, 11);
    if (type !== 'comm') yield { path: entry.slice(tab + 1), isDirectory: type === 'tree' };
  }
}
