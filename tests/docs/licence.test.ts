import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Files with code; this one quotes what it looks for. */
const sources = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => /\.(tsx?|mjs|cjs|sh|py)$/.test(path) && path !== 'tests/docs/licence.test.ts')
  .filter((path) => existsSync(join(root, path)));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Whether a text has Python that imports modules of Mercurial, which makes it a work under the licence of Mercurial. */
const importsMercurial = (text: string) =>
  /^\s*(from (mercurial|hgext)[\w.]* import|import (mercurial|hgext)\b)|(__import__|import_module)\(\W?'(mercurial|hgext)/m.test(
    text,
  );

it('finds Python that imports modules of Mercurial', () => {
  const lines = [
    'from mercurial import hg',
    '  from mercurial.utils import x',
    'import mercurial.ui',
    'from hgext import y',
  ];
  expect(lines.filter((line) => !importsMercurial(`const script = \`\n${line}\n\`;`))).toEqual([]);
  expect(importsMercurial("import { mercurial } from './mercurial.ts';\n// Changesets come from mercurial.\n")).toBe(
    false,
  );
});

it('code that imports modules of Mercurial is Python in files of its own, whose heads have the licence of Mercurial', () => {
  const found = sources.filter((path) => importsMercurial(read(path)));
  const hasHead = (path: string) => read(path).startsWith('# SPDX-License-Identifier: GPL-2.0-or-later\n');
  expect(found.filter((path) => !path.endsWith('.py') || !hasHead(path))).toEqual([]);
});

it('README.md names the directories of all files under the licence of Mercurial', () => {
  const licensed = sources.filter((path) => read(path).startsWith('# SPDX-License-Identifier: GPL'));
  const directories = [...new Set(licensed.map((path) => dirname(path)))];
  expect(directories.filter((directory) => !read('README.md').includes(`\`${directory}\``))).toEqual([]);
  expect(directories).toContain('apps/vcs-worker/mercurial');
});
