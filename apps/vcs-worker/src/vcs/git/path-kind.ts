import type { PathKind } from '../content.ts';

/** What a tree entry of a mode is. */
export function pathKind(mode: string): PathKind {
  // Trees write directories as 40000, listings of them as 040000.
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
