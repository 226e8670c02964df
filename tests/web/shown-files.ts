import { git, hg } from '../harness/remotes.ts';
import type { RepositoryType } from '../harness/shared-cluster.ts';

export const hostile = '<img src=x onerror=alert(1)>.txt';
export const odd = 'ü "x" #?%2F&.txt';
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Files of which pages show each kind in its own way. */
export const files = {
  'README.md': '# About <this>\n\n[guide](docs/guide.md) <script>alert(1)</script>\n',
  'docs/guide.md': '[back](../README.md)\n',
  'src/main.py': 'def main():\n    return "<b>"\n',
  'src/deep/er/x.txt': 'deep\n',
  'data.bin': 'a\0b',
  'picture.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>\n',
  'large.txt': 'x'.repeat(5_000_000),
  'empty.txt': '',
  'tool.sh': 'echo\n',
  tool: '#!/usr/bin/env python3\ndef run():\n  pass\n',
  'data/people.csv': 'name;age\n"Lee; <b>Ann</b>";7\n',
  'notes/one.ipynb': JSON.stringify({
    cells: [{ cell_type: 'markdown', source: '# One\n\n[guide](../docs/guide.md)' }],
  }),
  'notes/none.ipynb': '{}\n',
  'long.txt': 'line\n'.repeat(20_001),
  [hostile]: 'hostile\n',
  [odd]: 'odd\n',
  'exe.\u202etxt': 'a\u202eb\n',
  'bell\u0007.txt': 'bell\n',
  ...Object.fromEntries(Array.from({ length: 1_500 }, (_, index) => [`many/${1_000 + index}`, `${index}`])),
};

/** Commits entries that are no plain files, and names the revisions. */
export const finish: Record<RepositoryType, (directory: string) => Promise<unknown>> = {
  async git(directory) {
    await git(directory, 'add', '-A');
    await git(directory, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sub`);
    await git(directory, 'commit', '-q', '-m', 'the second <b>');
    await git(directory, 'branch', 'feature/x', 'HEAD~1');
    await git(directory, 'tag', 'v1');
  },
  async hg(directory) {
    await hg(directory, 'addremove', '-q');
    await hg(directory, 'commit', '-q', '-m', 'the second <b>', '-u', 'Ann');
    await hg(directory, 'bookmark', '-r', '0', 'feature/x');
    await hg(directory, 'tag', '-r', '1', '-m', 'the second <b>', '-u', 'Ann', 'v1');
  },
};
