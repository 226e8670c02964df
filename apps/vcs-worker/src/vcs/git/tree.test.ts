import { expect, it } from 'vitest';
import { parseTree } from './tree.ts';

it('reads entries and leaves submodules out', () => {
  const id = 'a'.repeat(40);
  const output = [
    `040000 tree ${id}\td`,
    `100644 blob ${id}\td/a\tb\nc`,
    `120000 blob ${id}\tlink`,
    `160000 commit ${id}\tsub`,
    `100755 blob ${id}\té\xff`,
  ];
  expect([...parseTree(Buffer.from(output.map((entry) => `${entry}\0`).join(''), 'utf8'))]).toEqual([
    { path: 'd', isDirectory: true },
    { path: 'd/a\tb\nc', isDirectory: false },
    { path: 'link', isDirectory: false },
    { path: 'é\xff', isDirectory: false },
  ]);
  expect([...parseTree(Buffer.alloc(0))]).toEqual([]);
});
