import { afterAll, expect, it } from 'vitest';
import { admin } from '../harness/shared-cluster.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

const path = '/_admin/storages';
// Another file changes the other storage of the shared cluster.
const { web } = await makeVisitor({ admin: true });
const saved = async () => {
  const storages =
    await admin.result<{ name: string; state: string; weight: number; maintenance: boolean }[]>('get_storages');
  return storages.find(({ name }) => name === 'default');
};

afterAll(() => admin.result('update_storage', { storage: 'default', state: 'active', weight: 100 }));

it('shows what each storage holds, and saves the weight of the one whose form was sent', async () => {
  const { text } = await web.get(path);
  expect(text.match(/<h2>(default|second)<\/h2>/g)).toEqual(['<h2>default</h2>', '<h2>second</h2>']);
  expect(text).toMatch(/<dt>Repositories<\/dt><dd>\d+, [0-9.]+ [kMG]?B<\/dd>/);
  expect(text).toMatch(/<dt>Workers<\/dt><dd>[1-9]<\/dd>/);
  const sent = await web.submit(path, path, { storage: 'default', state: 'active', weight: ' 55 ' });
  expect([sent.status, sent.headers.get('location')]).toEqual([303, path]);
  expect(await saved()).toMatchObject({ state: 'active', weight: 55 });
  expect((await web.get(path)).text).toContain('The storage default is saved.');
});

it('pauses the maintenance of a storage', async () => {
  await web.submit(path, path, { storage: 'default', state: 'active', weight: '100', maintenance: 'off' });
  expect(await saved()).toMatchObject({ maintenance: false });
  expect((await web.get(path)).text).toContain('<option value="off" selected="">');
  await web.submit(path, path, { storage: 'default', state: 'active', weight: '100', maintenance: 'on' });
  expect(await saved()).toMatchObject({ maintenance: true });
});

it('shows a refused form again, with its error and what was sent', async () => {
  const before = await saved();
  const sent = await web.submit(path, path, { storage: 'default', state: 'active', weight: 'much' });
  expect(sent.status).toBe(400);
  expect(sent.text).toMatch(/role="alert">.*whole number from 0 to 10000/);
  expect(sent.text).toContain('value="much"');
  expect(await saved()).toMatchObject({ weight: before?.weight });
});
