import { fastImport } from './feed-git.ts';
import { git } from './tools.ts';

/** File names that git or other tools could misread, for example as an option, a pathspec or a revision. */
export const oddNames = [
  '-dash',
  ':(top)x',
  'HEAD:x',
  '*gl?b[x]',
  'a^{commit}',
  'back\\slash',
  'quo"te',
  'sp ace ü \u{1f480}',
  '...',
] as const;

export const binary = `\0\u0001${'\0abc'.repeat(50)}`;
export const script = '#!/bin/sh\n';
const submodule = '1'.repeat(40);

interface Commit {
  readonly mark: number;
  readonly parents: readonly number[];
  readonly author?: string;
  readonly message?: string;
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}

/** Returns the fast-import command for a file; `\u00ff` in its name becomes the byte 0xff, as an octal escape. */
export function file(name: string, content: string, mode = '100644'): string {
  const quoted = `"${name.replace(/["\\]/g, '\\$&').replace(/\u00ff/g, String.raw`\377`)}"`;
  return `M ${mode} inline ${quoted}\n${data(content)}`;
}

/** Returns the fast-import commands for a commit on main; its times follow from the mark, so that its id is stable. */
export function commit({ mark, parents, author, message = 'x\n' }: Commit, changes: readonly string[] = []): string {
  const time = `${1_600_000_000 + mark} +0130`;
  const [first, ...others] = parents.map((parent) => `:${parent}\n`);
  return [
    `commit refs/heads/main\nmark :${mark}\n`,
    `author ${author ?? 'Ann <ann@example.com>'} ${time}\n`,
    `committer Ann <ann@example.com> ${time}\n`,
    data(message),
    first ? `from ${first}` : '',
    ...others.map((other) => `merge ${other}`),
    ...changes,
    '\n',
  ].join('');
}

/** Makes the commits 1 - 2 - 4 (merge of 2 and 3) - 5 (changes nothing), and 3 as a child of 1. */
export async function makeOddHistory(
  path: string,
): Promise<Readonly<Record<'root' | 'change' | 'merge' | 'empty', string>>> {
  const long = Array.from({ length: 40 }, (_, line) => `line ${line}\n`).join('');
  const root = [
    ...oddNames.flatMap((name) => [file(name, `of ${name}\n`), file(`dir/${name}/${name}`, 'x')]),
    file('\u00ff.bin', 'no UTF-8\n'),
    file('binary', binary),
    file('script', script, '100755'),
    file('link', 'dir/-dash', '120000'),
    file('long', long),
    file('no newline', 'a\nb'),
    file('removed', 'x\n'),
    `M 160000 ${submodule} sub\n`,
  ];
  const change = [
    file('long', long.replace('line 20', 'Line 20')),
    file('binary', `${binary}x`),
    file('script', script),
    file('no newline', 'a\n  b'),
    file('link', 'x\n'),
    file('\u00ff.bin', 'changed\n'),
    'R "quo\\"te" "re named"\n',
    'D removed\n',
    `M 160000 ${'2'.repeat(40)} sub\n`,
  ];
  const message = `[odd] ${'sübject '.repeat(20)}end\n\nbody é\n\n--\nno signature\n`;
  await fastImport(
    path,
    [
      commit({ mark: 1, parents: [], message: 'root\n' }, root),
      commit({ mark: 2, parents: [1], author: 'Å. Q, B: X <odd+x@exämple.com>', message }, change),
      commit({ mark: 3, parents: [1], message: 'side\n' }, [file('side', 's\n')]),
      commit({ mark: 4, parents: [2, 3], message: 'merge\n' }, [file('side', 's\n')]),
      commit({ mark: 5, parents: [4], message: 'nothing\n' }),
    ].join(''),
  );
  const at = (expression: string) => git(path, 'rev-parse', expression);
  return { root: await at('main~3'), change: await at('main~2'), merge: await at('main^'), empty: await at('main') };
}
