import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TreeNode } from './backend.ts';
import { orderNodes } from './node-order.ts';

const files = (...paths: string[]) => paths.map((path) => ({ path, isDirectory: false }));

/** Orders nodes word by word as specified: slow, recursive, straight from the list of paths. */
function naiveNodes(paths: readonly string[]): TreeNode[] {
  const directories: TreeNode[] = [];
  const found: TreeNode[] = [];
  const byLastSegment = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
  const visit = (prefix: string) => {
    const below = paths.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length).split('/'));
    const names = [...new Set(below.flatMap(([name = '', ...rest]) => (rest.length > 0 ? [name] : [])))];
    names.sort(byLastSegment);
    directories.push(...names.map((name) => ({ name: prefix + name, type: 'dir' as const })));
    const own = below.flatMap(([name = '', ...rest]) => (rest.length === 0 ? [name] : [])).sort(byLastSegment);
    found.push(...own.map((name) => ({ name: prefix + name, type: 'file' as const })));
    for (const name of names) visit(`${prefix}${name}/`);
  };
  visit('');
  return [...directories, ...found];
}

describe('orderNodes', () => {
  it('lists every directory of one walk, then every file', () => {
    const nodes = orderNodes('', files('z', 'b/z', 'b/a/y', 'b/c/x', 'a/d/w', 'a-b/v'));
    expect(nodes.map(({ name, type }) => `${type} ${name}`)).toEqual([
      'dir a',
      'dir a-b',
      'dir b',
      'dir a/d',
      'dir b/a',
      'dir b/c',
      'file z',
      'file a/d/w',
      'file a-b/v',
      'file b/z',
      'file b/a/y',
      'file b/c/x',
    ]);
  });

  it('sorts by code point, not by UTF-16 unit, case or language', () => {
    const names = ['a', 'Z', 'é', 'z', '\u{1f600}', '\ufffd', '\ue000', '10', '9'];
    expect(orderNodes('', files(...names)).map(({ name }) => name)).toEqual([
      ...['10', '9', 'Z', 'a', 'z', 'é', '\ue000', '\ufffd', '\u{1f600}'],
    ]);
  });

  it('puts the root before every name and lists empty directories', () => {
    const nodes = orderNodes('docs/api', [
      { path: 'v1', isDirectory: true },
      { path: 'index', isDirectory: false },
    ]);
    expect(nodes).toEqual([
      { name: 'docs/api/v1', type: 'dir' },
      { name: 'docs/api/index', type: 'file' },
    ]);
  });

  it('lists names that are properties of JavaScript objects like any other name', () => {
    const nodes = orderNodes('', files('__proto__/constructor', 'toString'));
    expect(nodes.map(({ name }) => name)).toEqual(['__proto__', 'toString', '__proto__/constructor']);
  });

  it('D9 lists a tree of 10 000 levels', () => {
    const nodes = orderNodes('', files(`${'d/'.repeat(10_000)}f`));
    expect(nodes).toHaveLength(10_001);
    expect(nodes.at(-1)?.name).toHaveLength(20_001);
  });

  it('D9 lists a directory of 300 000 directories', () => {
    const paths = Array.from({ length: 300_000 }, (_, index) => ({ path: `d${index}`, isDirectory: true }));
    expect(orderNodes('', paths)).toHaveLength(300_000);
  });

  it('D9 refuses more than a million entries', () => {
    function* endless() {
      for (;;) yield { path: 'f', isDirectory: false };
    }
    expect(() => orderNodes('', endless())).toThrow(expect.objectContaining({ kind: 'too-large' }));
  });

  it('agrees with the specification on any tree', () => {
    const segment = fc.constantFrom('a', 'b', 'a-b', 'a.b', 'B', 'é', '\u{1f600}', '\uff5e', '10', '9');
    const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map((segments) => segments.join('/'));
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 30 }), (all) => {
        // Drops files with the path of a directory, since a path is one or the other.
        const paths = all.filter((one) => !all.some((other) => other.startsWith(`${one}/`)));
        expect(orderNodes('', files(...paths))).toEqual(naiveNodes(paths));
      }),
    );
  });
});
