import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from '../harness/axe-violations.ts';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { looks } from '../harness/looks.ts';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { screenshot } from '../harness/screenshot.ts';
import { signInPage } from '../harness/sign-in-page.ts';
import { admin, cluster, makeUser, uniqueName } from '../harness/shared-cluster.ts';

const password = 'correct horse battery';

const markdown = `# Guide :rocket:

<p align="center"><img src="logo.svg" alt="logo" width="60"> <img src="https://ci.example/badge.svg" alt="build"></p>

Begin with [set up](#set-up), mail a@b.example or see www.a.example. A note[^1], <kbd>Ctrl</kbd>, H<sub>2</sub>O, ~~old~~.

## Set up

- [x] done
- [ ] to do
  - [ ] below

> [!NOTE]
> Mind *this*.

> [!WARNING]
> ${'A long text of a warning. '.repeat(10)}

<details><summary>More</summary>

\`\`\`js
const value = 'a line that is longer than the screen of a telephone is wide, for wrapping';
\`\`\`

</details>

${'Text. '.repeat(400)}

## ${'A heading that is long '.repeat(5)}

| a | b |
|:-:|--:|
| 1 | ${'two '.repeat(40)} |

[^1]: The *note*.
`;

const asciidoc = `= Guide
:toc:

Begin with <<set-up>>.

== Set up

NOTE: Mind *this*.

WARNING: ${'A long text of a warning. '.repeat(10)}

.Listing
[source,js]
----
let a = 1; // <1>
----
<1> A callout.

term:: What it means.

|===
|a |b

|1 |${'two '.repeat(40)}
|===
`;

const rst = `Guide
=====

:Author: Ann

.. contents::

Set up
------

\`\`literal\`\` and a note [1]_

.. note:: Mind *this*.

.. danger:: ${'A long text of a warning. '.repeat(10)}

.. code:: python

   value = 1

term
  What it means.

===  ===
a    b
===  ===
1    two
===  ===

| a line
|   another line

.. [1] The note.
`;

const files = {
  'README.md': markdown,
  'guide.adoc': asciidoc,
  'guide.rst': rst,
  'logo.svg':
    '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="80"><circle cx="60" cy="40" r="30"/></svg>\n',
};

let browser: TestBrowser;
let remote: Remote;
let name: string;

beforeAll(async () => {
  browser = await openBrowser(cluster.baseUrl);
  remote = await makeRemote.hg();
  await remote.commit(files, 'Write a guide');
  name = `${uniqueName('documents')}/project`;
  await admin.result('create_repo', { repo_name: name, repo_type: 'hg', clone_uri: remote.url });
});
afterAll(async () => {
  await remote.close();
  await browser.close();
});

it.each(['README.md', 'guide.adoc', 'guide.rst'])(
  'headings of %s have links, which the keyboard reaches',
  async (file) => {
    const page = await browser.newPage({ javaScriptEnabled: false });
    await signInPage(page, (await makeUser({ password })).username, password);
    await page.goto(`/${name}/files/tip/${file}`);
    const heading = page.getByRole('heading', { name: 'Set up' });
    const link = heading.getByRole('link', { name: 'Link to this heading' });
    await link.focus();
    await link.press('Enter');
    expect(new URL(page.url()).hash).toBe('#doc-set-up');
    await page.getByRole('link', { name: 'Source' }).click();
    await page.getByRole('link', { name: 'Rendered' }).click();
    expect(await heading.count()).toBe(1);
  },
);

describe.each(looks)('in %s colours at %d pixels', (colorScheme, width) => {
  it('documents are shown without a fault', async () => {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
    await signInPage(page, (await makeUser({ password })).username, password);
    for (const file of ['README.md', 'guide.adoc', 'guide.rst']) {
      await page.goto(`/${name}/files/tip/${file}`);
      await screenshot(page, `documents-${file}-${colorScheme}-${width}`);
      expect([file, await axeViolations(page)]).toEqual([file, []]);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
      expect([file, overflow]).toEqual([file, 0]);
    }
  });
});
