import type { DiffOptions } from '../content.ts';

/** How differences are shown: renames are looked for among so many files only, and nothing of a user's is run. */
export function diffWords({ context, ignoreWhitespace }: DiffOptions): string[] {
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
