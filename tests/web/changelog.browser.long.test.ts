import { chmod, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from '../harness/axe-violations.ts';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { looks } from '../harness/looks.ts';
import { git, makeRemote } from '../harness/remotes.ts';
import { screenshot } from '../harness/screenshot.ts';
import { signInPage } from '../harness/sign-in-page.ts';
import { admin, cluster, makeUser, uniqueName } from '../harness/shared-cluster.ts';
import { mainBranch } from '../harness/unique-name.ts';

const password = 'correct horse battery';
const source = `#include <stdio.h>

/* Says hello to whoever is named, or to everybody. */
int main(int argc, char **argv)
{
\tconst char *name = "world";

\tif (argc > 1)
\t\tname = argv[1];
\tprintf("Hello, %s\\n", name);
\treturn 0;
}
`;
const better = source
  .replace('"world"', '"everybody"')
  .replace('argc > 1', 'argc == 2')
  .replace('\treturn 0;', `\t/* ${'A line that is far too long for a telephone. '.repeat(5)}*/\n\treturn 0;`);

let browser: TestBrowser;
let name: string;
let id: string;

async function makeHistory(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const remote = await makeRemote.git();
  const { directory, commit } = remote;
  await commit({ 'src/hello.c': source, 'README.txt': 'Read me.\n', 'tool.sh': 'true\n' }, 'Say hello');
  await git(directory, 'tag', 'v1.0');
  await git(directory, 'checkout', '-q', '-b', 'feature/louder');
  await commit({ 'src/loud.c': 'int loud = 1;\n' }, 'Say it louder\n\nSome did not hear it.');
  await git(directory, 'checkout', '-q', mainBranch);
  await commit({ notes: 'one\n' }, `Take notes, at some length: ${'so that nothing is forgotten, '.repeat(5)}ever`);
  await git(directory, 'merge', '-q', '--no-ff', '-m', 'Merge what is louder', 'feature/louder');
  await git(directory, 'branch', `long/${'long-branch-name-'.repeat(6)}end`);
  await git(directory, 'tag', '-a', 'v1.1-rc1', '-m', `Louder, ${'and then some more, '.repeat(8)}\n\nFor a trial.`);
  await rename(join(directory, 'README.txt'), join(directory, 'README'));
  await chmod(join(directory, 'tool.sh'), 0o755);
  id = await commit(
    { 'src/hello.c': better, 'logo.bin': 'a\0b', notes: 'one\ntwo' },
    'Greet everybody by name\n\nNobody knew whom the program greeted.\nNow it says so, and takes exactly one name.',
  );
  return remote;
}

beforeAll(async () => {
  browser = await openBrowser(cluster.baseUrl);
  const remote = await makeHistory();
  name = `${uniqueName('history')}/program`;
  await admin.result('create_repo', { repo_name: name, repo_type: 'git', clone_uri: remote.url });
  await remote.close();
});
afterAll(() => browser.close());

it.each([true, false])('a diff is reached from the history and shown, with scripts: %s', async (javaScriptEnabled) => {
  const page = await browser.newPage({ javaScriptEnabled });
  await signInPage(page, (await makeUser({ password })).username, password);
  await page.goto(`/${name}`);
  await page.getByRole('link', { name: 'Changelog', exact: true }).click();
  await page.getByLabel('Branch').selectOption('feature/louder');
  await page.getByRole('button', { name: 'Show' }).click();
  expect(await page.locator('.changelog .about > a').allTextContents()).toEqual(['Say it louder', 'Say hello']);
  await page.getByRole('link', { name: 'Show all' }).click();
  await page.getByRole('link', { name: 'Greet everybody by name' }).click();

  await page.getByRole('link', { name: 'src/hello.c', exact: true }).click();
  expect(new URL(page.url()).hash).toMatch(/^#file-\d$/);
  const file = page.getByRole('region', { name: 'src/hello.c' });
  // A mark ends where the colour changes.
  expect(await file.locator('mark').allTextContents()).toEqual(['world', 'everybody', '> ', '1', '== ', '2']);
  await page.getByRole('link', { name: 'More context' }).click();
  expect(await file.locator('.diff-context').first().textContent()).toContain('#include');
  await page.getByRole('definition').getByRole('link').nth(1).click();
  expect(await page.getByRole('heading', { level: 2 }).first().textContent()).toBe('Merge what is louder');

  await page.getByRole('link', { name: 'Tags', exact: true }).click();
  await page.getByRole('link', { name: 'v1.0', exact: true }).waitFor();
  await page
    .getByRole('link', { name: /^[0-9a-f]{12}$/ })
    .last()
    .click();
  expect(await page.getByRole('heading', { level: 2 }).first().textContent()).toBe('Say hello');
});

describe.each(looks)('in %s colours at %d pixels', (colorScheme, width) => {
  it('the history is shown without a fault', async () => {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
    await signInPage(page, (await makeUser({ password })).username, password);
    const paths = {
      changelog: `/${name}/changelog`,
      changeset: `/${name}/changeset/${id}`,
      'changeset-split': `/${name}/changeset/${id}?view=split`,
      'changeset-file': `/${name}/changeset/${id}?file=src%2Fhello.c`,
      range: `/${name}/changeset/v1.0...${encodeURIComponent(mainBranch)}`,
      'range-turned': `/${name}/changeset/${encodeURIComponent(mainBranch)}...v1.0`,
      compare: `/${name}/compare`,
      'range-unknown': `/${name}/changeset/no-such...${encodeURIComponent(mainBranch)}`,
      branches: `/${name}/branches`,
      tags: `/${name}/tags`,
      bookmarks: `/${name}/bookmarks`,
    };
    for (const [title, path] of Object.entries(paths)) {
      await page.goto(path);
      await screenshot(page, `history-${title}-${colorScheme}-${width}`);
      expect([title, await axeViolations(page)]).toEqual([title, []]);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
      expect([title, overflow]).toEqual([title, 0]);
    }
  });
});
