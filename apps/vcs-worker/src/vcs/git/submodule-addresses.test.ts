import { expect, it } from 'vitest';
import { parseGitmodules } from './submodule-addresses.ts';

const section = (name: string, ...lines: string[]) => `[submodule "${name}"]\n\t${lines.join('\n\t')}\n`;
const of = (text: string) => Object.fromEntries(parseGitmodules(text));

it.each<[string, Record<string, string>]>([
  [section('x', 'path = a', 'url = ../b'), { a: '../b' }],
  [section('x.path', 'URL=https://git.example/x', '  Path  =  d/a b/  '), { 'd/a b': 'https://git.example/x' }],
  [section(String.raw`q\"]\\`, 'path = a', 'url = b'), { a: 'b' }],
  [section('x', 'path = " a;b "', String.raw`url = "c#d \"e\"" ; comment`), { ' a;b ': 'c#d "e"' }],
  [section('x', 'path = a # comment', 'url = b;comment'), { a: 'b' }],
  [section('x', 'path = a') + section('y', 'path = c', 'url = d') + section('x', 'url = b'), { a: 'b', c: 'd' }],
  [section('x', 'path = a', 'url = b', 'url = c'), { a: 'c' }],
  [`${section('x', 'path = a')}[core]\n\turl = b\n`, {}],
  [section('x', 'path = a', 'url'), {}],
  [section('x', 'path = a', 'url ='), {}],
  [section('x', 'url = b'), {}],
  [section('x', 'path = a\r', 'url = b\r').replace(']', ']\r'), { a: 'b' }],
  ['\0[[[\n]=\npath = a\nurl = b\n[submodule "x"', {}],
  ['', {}],
])('reads %j as %j', (text, expected) => {
  expect(of(text)).toEqual(expected);
});

it.each(['[submodule "', 'path = ', 'path = "', 'path = \\', '  ', '\\\n', '[submodule "\\'])(
  'D9 reads 256 KB of %j in linear time',
  (part) => {
    const text = part.repeat(Math.ceil((256 * 1024) / part.length));
    const begin = performance.now();
    parseGitmodules(text);
    parseGitmodules(`${section('x', 'path = a')}${text}`);
    expect(performance.now() - begin).toBeLessThan(1_000);
  },
);
