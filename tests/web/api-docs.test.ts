import { methods } from '@trunkline/contracts';
import { afterAll, describe, expect, it } from 'vitest';
import { axeViolations } from '../harness/axe-violations.ts';
import { openBrowser } from '../harness/browser.ts';
import { looks } from '../harness/looks.ts';
import { screenshot } from '../harness/screenshot.ts';
import { cluster, makeUser } from '../harness/shared-cluster.ts';
import { createWebClient } from '../harness/web-client.ts';
import { makeVisitor, password } from '../harness/web-visitor.ts';

const path = '/_admin/api-docs';

const shownOf = (page: string) => [...page.matchAll(/<h2 id="([^"]*)">/g)].map(([, name]) => name);

describe('the API page', () => {
  it('needs a sign-in', async () => {
    expect((await createWebClient(cluster.baseUrl).get(path)).status).toBe(302);
  });

  it('describes every method, and has a list of them', async () => {
    const { web } = await makeVisitor();
    const { status, text } = await web.get(path);
    expect(status).toBe(200);
    expect(shownOf(text)).toEqual(Object.keys(methods));
    for (const name of Object.keys(methods)) expect(text).toContain(`<a href="#${name}">`);
    expect(text).toContain('<dd>Administrators, and users with <code>hg.create.repository</code>');
    expect(text).toContain(`${cluster.baseUrl}/_admin/api</pre>`);
  });

  it.each([
    ['api key', ['create_api_key', 'get_api_keys', 'reset_api_key', 'revoke_api_key']],
    ['GET_IP', ['get_ip']],
    ['nothing <b> is "called" so', []],
  ])('finds %s', async (filter, expected) => {
    const { web } = await makeVisitor();
    const { text } = await web.get(`${path}?q=${encodeURIComponent(filter)}`);
    expect(shownOf(text).filter((name) => name === 'get_ip' || name?.includes('api_key'))).toEqual(expected);
    expect(text).not.toContain('<b>');
  });
});

describe('in a browser', async () => {
  const browser = await openBrowser(cluster.baseUrl);
  afterAll(() => browser.close());

  it.each(looks)('%s at %i pixels, the page has no fault', async (colorScheme, width) => {
    const { username } = await makeUser({ password });
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
    await page.goto(`${path}?q=repo`);
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'API', exact: true }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    await screenshot(page, `api-docs-${colorScheme}-${width}`);
  });

  it('the command line with curl works once it has a key', async () => {
    const { username, client } = await makeUser({ password });
    const { web } = await makeVisitor();
    const { text } = await web.get(`${path}?q=get_user`);
    const line = /curl -d (?:'|&#39;)(\{[^']*?&quot;method&quot;:&quot;get_user&quot;[^']*?\})(?:'|&#39;) (\S+)<\/pre>/;
    const [, body = '', url = ''] = line.exec(text) ?? [];
    const sent = body.replaceAll('&quot;', '"').replace('YOUR_KEY', client.apiKey);
    const answer = await fetch(url, { method: 'POST', body: sent });
    expect(await answer.json()).toMatchObject({ error: null, result: { username } });
  });
});
