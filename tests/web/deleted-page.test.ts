import { expect, it } from 'vitest';
import { admin, makeRepository, uniqueName } from '../harness/shared-cluster.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

const path = '/_admin/deleted';
const { web } = await makeVisitor({ admin: true });

async function remove(description: string): Promise<{ id: number; name: string }> {
  const name = await makeRepository('git', { description, private: true });
  const { repo_id: id } = await admin.result<{ repo_id: number }>('get_repo', { repoid: name });
  await admin.result('delete_repo', { repoid: name });
  return { id, name };
}

/** Returns the row of a repository. */
const rowOf = (text: string, name: string) =>
  text.split('<li>').find((row) => row.includes(`<strong>${name}</strong>`));

it('lists deleted repositories, and restores the one whose form was sent under the name in it', async () => {
  const [one, other] = [await remove('<b>the first</b>'), await remove('the other')];
  const { text } = await web.get(path);
  const row = rowOf(text, one.name);
  expect(row).toContain('&lt;b&gt;the first&lt;/b&gt;');
  expect(row).toContain('private');
  expect(row).toContain('by admin');
  expect(row).toContain(`value="${one.name}"`);
  const name = uniqueName('back');
  const sent = await web.submit(path, path, { id: String(one.id), name });
  expect([sent.status, sent.headers.get('location')]).toEqual([303, `/${encodeURI(name)}`]);
  expect((await web.get(`/${name}`)).text).toContain('The repository is restored.');
  const after = (await web.get(path)).text;
  expect(rowOf(after, one.name)).toBeUndefined();
  expect(rowOf(after, other.name)).toBeDefined();
});

it('shows a refused name again, in the form of its repository, with the error', async () => {
  const { id, name } = await remove('refused');
  const sent = await web.submit(path, path, { id: String(id), name: '-x' });
  expect(sent.status).toBe(422);
  expect(sent.text).toMatch(/role="alert">.*must not begin with/);
  expect(rowOf(sent.text, name)).toContain('value="-x"');
});
