import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { axeViolations } from '../harness/axe-violations.ts';
import { openBrowser } from '../harness/browser.ts';
import { takePicture } from '../harness/screenshot.ts';

const policy = "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; base-uri 'none'";

const elsewhere = 'http://foreign.example/';

const page = (body: string) =>
  `<!doctype html><html lang="en"><head><title>Page</title><link rel="stylesheet" href="/style.css"></head>` +
  `<body><main><h1>Page</h1>${body}</main></body></html>`;

const files: Readonly<Record<string, [type: string, body: string]>> = {
  '/good': ['text/html', page('<p class="narrow">iiii</p><p class="wide">WWWW</p>')],
  '/label': ['text/html', page('<form action="/good"><input name="q"></form>')],
  '/inline-style': ['text/html', page('<p style="color: red">text</p>')],
  '/inline-script': ['text/html', page('<script>1</script>')],
  '/link': ['text/html', page(`<a href="${elsewhere}">elsewhere</a>`)],
  '/foreign-image': ['text/html', page('<img alt="" src="http://foreign.example/x.png">')],
  '/missing-style': ['text/html', page('<link rel="stylesheet" href="/nowhere.css">')],
  '/error': ['text/html', page('<script src="/error.js"></script>')],
  '/console': ['text/html', page('<script src="/console.js"></script>')],
  '/style.css': ['text/css', 'p { display: inline-block; font-family: sans-serif }'],
  '/error.js': ['text/javascript', 'throw new Error("broken")'],
  '/console.js': ['text/javascript', 'console.error("odd")'],
};

const server = createServer((request, response) => {
  const [type, body] = files[request.url ?? ''] ?? ['text/html', page('Nothing here')];
  response.writeHead(files[request.url ?? ''] === undefined ? 404 : 200, {
    'content-type': `${type}; charset=utf-8`,
    'content-security-policy': policy,
  });
  response.end(body);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
const browser = await openBrowser(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`);

afterAll(async () => {
  await browser.close();
  server.close();
});

function width(page: Page, selector: string): Promise<number> {
  return page.evaluate<number>(`document.querySelector('${selector}').getBoundingClientRect().width`);
}

/** Returns the number of colours of a PNG, which the browser decodes. */
function coloursOf(page: Page, png: Buffer): Promise<number> {
  return page.evaluate<number>(`(async () => {
    const bytes = Uint8Array.from(atob('${png.toString('base64')}'), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes]));
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
    canvas.drawImage(image, 0, 0);
    const { data } = canvas.getImageData(0, 0, image.width, image.height);
    return new Set(new Uint32Array(data.buffer)).size;
  })()`);
}

describe.each([true, false])('a page, with scripts: %s', (javaScriptEnabled) => {
  it('without a fault is accepted', async () => {
    const page = await browser.newPage({ javaScriptEnabled });
    expect((await page.goto('/good'))?.status()).toBe(200);
  });

  it('that is not found is accepted', async () => {
    const page = await browser.newPage({ javaScriptEnabled });
    expect((await page.goto('/nowhere'))?.status()).toBe(404);
  });

  it.each([
    ['/inline-style', /^console: .*Content Security Policy/],
    ['/foreign-image', /^console: .*Content Security Policy/],
    ['/missing-style', /^console: .*404/],
  ])('has a fault: %s', async (path, problem) => {
    const problems = expect.arrayContaining([expect.stringMatching(problem)]);
    const page = await browser.newPage({ javaScriptEnabled, problems });
    await page.goto(path);
  });

  it('whose link to another host is followed has a fault', async () => {
    const page = await browser.newPage({ javaScriptEnabled, problems: [`request to ${elsewhere}`] });
    await page.goto('/link');
    const [request] = await Promise.all([page.waitForRequest(elsewhere), page.getByRole('link').click()]);
    expect(request.url()).toBe(elsewhere);
  });
});

it.each([
  ['/inline-script', /^console: .*Content Security Policy/],
  ['/error', /^error: broken$/],
  ['/console', /^console: odd$/],
])('a page whose script fails has a fault: %s', async (path, problem) => {
  const page = await browser.newPage({ problems: [expect.stringMatching(problem)] });
  await page.goto(path);
});

it.fails('a fault fails the test', async () => {
  const page = await browser.newPage();
  expect((await page.goto('/console'))?.status()).toBe(200);
});

it('axe finds a missing label under a strict policy, and nothing in a good page', async () => {
  const page = await browser.newPage();
  await page.goto('/label');
  expect(await axeViolations(page)).toEqual([expect.stringMatching(/^label: .*\(input\)$/)]);
  await page.goto('/good');
  expect(await axeViolations(page)).toEqual([]);
});

it('letters are drawn with a font, not as boxes', async () => {
  const page = await browser.newPage();
  await page.goto('/good');
  expect(await width(page, '.narrow')).toBeLessThan((await width(page, '.wide')) / 2);
  expect(await coloursOf(page, await takePicture(page))).toBeGreaterThan(2);
  await page.goto('about:blank');
  expect(await coloursOf(page, await takePicture(page))).toBe(1);
});
