import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from '../harness/axe-violations.ts';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { looks } from '../harness/looks.ts';
import { git, makeRemote, type Remote } from '../harness/remotes.ts';
import { screenshot } from '../harness/screenshot.ts';
import { signInPage } from '../harness/sign-in-page.ts';
import { admin, cluster, makeUser, uniqueName } from '../harness/shared-cluster.ts';
import { mainBranch, mainReference } from '../harness/unique-name.ts';

const password = 'correct horse battery';
const source = [
  '"""Counts the words of a text."""',
  'import re',
  '',
  '',
  'class Counter:',
  '    def __init__(self, pattern=r"\\w+", limit=10):',
  '        self.pattern = re.compile(pattern)  # a comment that is much longer than a telephone is wide, for scrolling',
  '        self.limit = limit',
  '',
  ...Array.from({ length: 120 }, (_, index) => `value_${index} = ${index} if ${index} > 3 else None`),
].join('\n');
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="80"><circle cx="60" cy="40" r="30" fill="teal"/></svg>\n';

const files = {
  'README.md': [
    '# Guide',
    '[![build: passing](https://ci.example/badge.svg)](https://ci.example) [![](https://ci.example/coverage.svg)](guide)',
    '[![licence](//ci.example/licence.svg)](LICENSE)[![downloads](https://ci.example/downloads.svg)](https://ci.example)',
    'What *this* is about: ![the chart of a year that had many months](https://ci.example/chart.png) ![logo](logo.svg)',
    '<p align="center"><img src="https://ci.example/banner.png" alt="banner"></p>',
    '```py\nx = 1\n```\n',
  ].join('\n\n'),
  'README.de.md': '# Leitfaden\n',
  'src/counter.py': source,
  'src/tool.sh': '#!/bin/sh\necho hello\n',
  'docs/a/b/c/a-rather-long-name-of-a-file-deep-below.txt': 'x\n',
  'logo.svg': svg,
  'data/people.csv': `name,role,remark\n${'"Lee, Ann",engineer,"a remark that is longer than a telephone is wide"\n'.repeat(60)}`,
  'notes/words.ipynb': JSON.stringify({
    metadata: { language_info: { name: 'python' } },
    cells: [
      { cell_type: 'markdown', source: '# Words\n\nHow many *words* are there?' },
      {
        cell_type: 'code',
        execution_count: 1,
        source: 'count = len(text.split())\nprint(count)',
        outputs: [
          { output_type: 'stream', text: '1200\n' },
          { output_type: 'display_data', data: { 'image/png': 'AAAA' } },
          { output_type: 'error', traceback: ['\u001b[31mValueError\u001b[0m: no text'] },
        ],
      },
    ],
  }),
  'data.bin': 'a\0b',
  'large.txt': 'x'.repeat(2_000_000),
  '<img src=x onerror=alert(1)>.txt': 'hostile\n',
  'exe.\u202etxt': 'x\n',
  [`${'long-name-'.repeat(20)}.txt`]: 'x\n',
};

let browser: TestBrowser;
let remote: Remote;
let name: string;

beforeAll(async () => {
  browser = await openBrowser(cluster.baseUrl);
  remote = await makeRemote.git();
  await remote.commit({ 'src/counter.py': 'x = 1\n' }, 'Begin');
  await git(remote.directory, 'branch', 'feature/old');
  await remote.commit(files, 'Count words, and tell of it in a line that does not fit on the screen of a telephone');
  await chmod(join(remote.directory, 'src/tool.sh'), 0o755);
  await remote.commit({}, 'Make the tool a program');
  name = `${uniqueName('files')}/project`;
  await admin.result('create_repo', { repo_name: name, repo_type: 'git', clone_uri: remote.url });
});
afterAll(async () => {
  await remote.close();
  await browser.close();
});

it.each([true, false])(
  'files are found, looked at and compared with another revision, scripts: %s',
  async (javaScriptEnabled) => {
    const page = await browser.newPage({ javaScriptEnabled });
    await signInPage(page, (await makeUser({ password })).username, password);
    await page.goto(`/${name}`);
    await page.getByRole('link', { name: 'Files', exact: true }).click();
    await page.getByRole('link', { name: 'src', exact: true }).click();
    await page.getByRole('link', { name: 'counter.py' }).click();
    await page.getByRole('link', { name: '5', exact: true }).click();
    expect(new URL(page.url()).hash).toBe('#L5');
    expect(await page.locator(':target').textContent()).toBe('5class Counter:\n');
    await page.getByRole('link', { name: '7', exact: true }).click();
    expect(new URL(page.url()).search).toBe('?lines=5-7');
    expect(await page.locator('.line.marked').count()).toBe(3);
    expect(await page.locator(':target').textContent()).toBe('5class Counter:\n');

    await page.locator('.ref-picker > summary').click();
    await page.getByLabel('Revision').fill('refs/heads/feature/old');
    await page.getByRole('button', { name: 'Show' }).click();
    expect(new URL(page.url()).pathname).toBe(`/${encodeURI(name)}/files/refs%2Fheads%2Ffeature%2Fold/src/counter.py`);
    expect(await page.locator('.line').allTextContents()).toEqual(['1x = 1\n']);
    await page.getByRole('link', { name: 'Permanent link' }).click();
    expect(new URL(page.url()).pathname).toMatch(/^\/_\d+\/files\/[0-9a-f]{40}\/src\/counter\.py$/);
    expect(await page.locator('.line').count()).toBe(1);
  },
);

it('shows the README with images of the repository alone, and links to the others', async () => {
  const page = await browser.newPage();
  await signInPage(page, (await makeUser({ password })).username, password);
  await page.goto(`/${name}`);
  const readme = page.getByRole('region', { name: 'README.md' });
  expect(await readme.getByRole('img').count()).toBe(1);
  expect(await readme.getByRole('link', { name: 'build: passing' }).getAttribute('href')).toBe('https://ci.example');
  expect(await readme.getByRole('link', { name: 'coverage.svg' }).getAttribute('href')).toBe(
    `/${encodeURI(name)}/files/${encodeURIComponent(mainReference)}/guide`,
  );
});

it('shows an image without running its scripts', async () => {
  const page = await browser.newPage();
  await signInPage(page, (await makeUser({ password })).username, password);
  await page.goto(`/${name}/files/tip/logo.svg`);
  expect(await page.evaluate('document.querySelector("main img").naturalWidth')).toBe(120);
});

describe.each(looks)('in %s colours at %d pixels', (colorScheme, width) => {
  it('files are shown without a fault', async () => {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
    await signInPage(page, (await makeUser({ password })).username, password);
    const paths = {
      root: 'tip',
      directory: 'tip/src',
      source: `${mainBranch}/src/counter.py#L7`,
      program: 'tip/src/tool.sh',
      deep: 'tip/docs/a/b/c/a-rather-long-name-of-a-file-deep-below.txt',
      markdown: 'tip/README.md',
      plain: 'tip/README.md?plain=1',
      range: `${mainBranch}/src/counter.py?lines=5-8#L5`,
      table: 'tip/data/people.csv',
      notebook: 'tip/notes/words.ipynb',
      image: 'tip/logo.svg',
      binary: 'tip/data.bin',
      large: 'tip/large.txt',
      missing: 'tip/missing',
      summary: '..',
    };
    for (const [title, path] of Object.entries(paths)) {
      await page.goto(`/${name}/files/${path}`);
      await screenshot(page, `files-${title}-${colorScheme}-${width}`);
      expect([title, await axeViolations(page)]).toEqual([title, []]);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
      expect([title, overflow]).toEqual([title, 0]);
    }
  });

  it('the list of revisions is one line, and opens by the keyboard without a fault', async () => {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
    await signInPage(page, (await makeUser({ password })).username, password);
    await page.goto(`/${name}/files/feature%2Fold/src/counter.py?plain=1`);
    const picker = page.locator('.ref-picker');
    expect((await picker.boundingBox())?.height).toBeLessThanOrEqual(40);
    await picker.locator('summary').first().focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Revision').waitFor();
    await screenshot(page, `files-revisions-${colorScheme}-${width}`);
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')).toBe(0);
    await picker.getByRole('link', { name: mainBranch }).click();
    const { pathname, search } = new URL(page.url());
    expect(pathname + search).toBe(
      `/${encodeURI(name)}/files/${encodeURIComponent(`refs/heads/${mainBranch}`)}/src/counter.py?plain=1`,
    );
  });
});
