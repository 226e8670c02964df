import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from '../harness/axe-violations.ts';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { looks } from '../harness/looks.ts';
import { git, makeRemote } from '../harness/remotes.ts';
import { screenshot } from '../harness/screenshot.ts';
import { signInPage } from '../harness/sign-in-page.ts';
import { admin, cluster, makeUser, uniqueName } from '../harness/shared-cluster.ts';

const password = 'correct horse battery';
const lines = Array.from({ length: 24 }, (_, index) => `value_${index} = ${index} if ${index} > 3 else None`);
const fileNamed = (name: string) => `/annotate/tip/src/${name}`;

let browser: TestBrowser;
let name: string;

beforeAll(async () => {
  browser = await openBrowser(cluster.baseUrl);
  const remote = await makeRemote.git();
  const write = async (message: string, at: number, ...texts: readonly string[]) => {
    lines.splice(at, texts.length, ...texts);
    return remote.commit({ 'src/counter.py': `${lines.join('\n')}\n` }, message);
  };
  await write('Count the values', 0);
  await write('Say in a line that does not fit beside the source what this is about', 0, '"""Values."""');
  await write('Make two of them long', 3, `value_3 = "${'long '.repeat(40)}"`, `value_4 = "${'x'.repeat(200)}"`);
  await git(remote.directory, 'mv', 'src/counter.py', 'src/values of the counter.py');
  await remote.commit({ 'README.md': '# x\n' }, 'Give it the name of what it has');
  name = `${uniqueName('history')}/project`;
  await admin.result('create_repo', { repo_name: name, repo_type: 'git', clone_uri: remote.url });
  await remote.close();
});
afterAll(() => browser.close());

async function openPage(options: Parameters<TestBrowser['newPage']>[0]) {
  const page = await browser.newPage(options);
  await signInPage(page, (await makeUser({ password })).username, password);
  return page;
}

it.each([true, false])(
  'a reader goes from a line to its changeset and to what was before, scripts: %s',
  async (javaScriptEnabled) => {
    const page = await openPage({ javaScriptEnabled });
    await page.goto(`/${name}${fileNamed('values%20of%20the%20counter.py')}`);
    await page.getByRole('link', { name: '4', exact: true }).click();
    expect(await page.locator(':target').textContent()).toContain('long long');
    const block = page.locator('.annotated', { hasText: 'Make two of them long' });
    await block.getByRole('link', { name: /^← Before/ }).click();
    expect(await page.locator(':target').textContent()).toContain('value_3 = 3');
    await page.getByRole('link', { name: 'History', exact: true }).click();
    expect(await page.locator('.path-history .subject').count()).toBe(2);
    await page.goto(`/${name}/changelog/tip/src/values%20of%20the%20counter.py`);
    expect(await page.locator('.path-history .subject').count()).toBe(4);
    await page.getByRole('link', { name: 'Make two of them long' }).click();
    expect(await page.locator(':target').count()).toBe(1);
  },
);

describe.each(looks)('in %s colours at %d pixels', (colorScheme, width) => {
  it('history and annotation are shown without a fault', async () => {
    const page = await openPage({ colorScheme, viewport: { width, height: 800 } });
    const paths = {
      annotation: fileNamed('values%20of%20the%20counter.py'),
      'annotation-directory': '/annotate/tip/src',
      history: '/changelog/tip/src/values%20of%20the%20counter.py',
      'history-removed': '/changelog/tip/src/counter.py',
    };
    for (const [title, path] of Object.entries(paths)) {
      await page.goto(`/${name}${path}`);
      await screenshot(page, `path-${title}-${colorScheme}-${width}`);
      expect([title, await axeViolations(page)]).toEqual([title, []]);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
      expect([title, overflow]).toEqual([title, 0]);
    }
  });
});
