import { beforeAll, describe, expect, it } from 'vitest';
import { admin, makeRepository, repositoryTypes, uniqueName, type TestUser } from '../harness/shared-cluster.ts';
import type { WebClient } from '../harness/web-client.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

let visitor: TestUser & { readonly web: WebClient };

beforeAll(async () => {
  visitor = await makeVisitor();
});

describe.each(repositoryTypes)('forks of a %s repository', (type) => {
  it('are created with the form, and listed', async () => {
    const source = await makeRepository(type);
    const fork = `${uniqueName('forks')}/mine`;
    const path = `/${source}/forks`;
    const fields = { fork_name: fork, description: '<i>', copy_permissions: 'true' };
    const answer = await visitor.web.submit(path, path, fields);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/${encodeURI(fork)}`]);
    const made = await admin.result('get_repo', { repoid: fork });
    expect(made).toMatchObject({ fork_of: source, owner: visitor.username, private: false, description: '<i>' });
    expect((await visitor.web.get(path)).text).toContain(`<h3><a href="/${encodeURI(fork)}">${fork}</a></h3>`);
    expect((await visitor.web.get(`/${fork}`)).text).toContain(`Fork of <a href="/${encodeURI(source)}">`);
  });

  it('of a private one are private, and hidden from others', async () => {
    const source = await makeRepository(type, { owner: visitor.username, private: true });
    const path = `/${source}/forks`;
    expect((await visitor.web.get(path)).text).toMatch(/name="private" checked=""/);
    const fork = uniqueName('fork');
    await visitor.web.submit(path, path, { fork_name: fork, private: 'true' });
    const other = await makeVisitor();
    await admin.result('grant_user_permission', { repoid: source, userid: other.id, perm: 'repository.read' });
    const { status, text } = await other.web.get(path);
    expect(status).toBe(200);
    expect(text).not.toContain(fork);
    expect((await other.web.get(`/${fork}`)).status).toBe(403);
  });

  it('that are refused keep the values of the form', async () => {
    const source = await makeRepository(type);
    const path = `/${source}/forks`;
    const refused = await visitor.web.submit(path, path, { fork_name: source, description: 'kept "text"' });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain(`repository <code>${source}</code> already exists`);
    expect(refused.text).toContain('kept &quot;text&quot;');
    const unfit = await visitor.web.submit(path, path, { fork_name: '-x' });
    expect(unfit.status).toBe(422);
    expect(unfit.text).toContain('<code>-x</code>: a segment must not begin');
  });
});
