const nothing = '000000';
const submodule = '160000';

/** Returns how a line of `diff-tree --raw` changes a file; null for a submodule, which does not count as a file. */
export function fileChange(line: string): 'added' | 'changed' | 'removed' | null {
  const [before = '', after = ''] = line.slice(1).split(' ', 2);
  const [had, has] = [before, after].map((mode) => mode !== nothing && mode !== submodule);
  if (had && has) return 'changed';
  if (has) return 'added';
  return had ? 'removed' : null;
}
