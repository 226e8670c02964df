import type { DiffOptions } from '../content.ts';

/** Returns the options of a diff: rename detection among at most 400 files, no external diff or textconv program. */
export function diffArgs({ context, ignoreWhitespace }: DiffOptions): string[] {
  return [
    '--find-renames',
    '-l400',
    `--unified=${context}`,
    ...(ignoreWhitespace ? ['--ignore-all-space'] : []),
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
  ];
}
