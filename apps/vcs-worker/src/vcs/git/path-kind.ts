import type { PathKind } from '../content.ts';

/** Returns the kind of a tree entry by its mode. */
export function pathKind(mode: string): PathKind {
  // The mode of a directory is 40000 in a tree object and 040000 in the output of `ls-tree`.
  switch (mode.slice(-5, -3)) {
    case '40':
      return 'dir';
    case '20':
      return 'symlink';
    case '60':
      return 'submodule';
    default:
      return 'file';
  }
}
