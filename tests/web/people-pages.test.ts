import { expect, it } from 'vitest';
import { admin, makeRepository, sql, uniqueName } from '../harness/shared-cluster.ts';
import type { WebClient } from '../harness/web-client.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

const count = 60;
const hostile = '<script>alert(1)</script>"';
const shown = '&lt;script&gt;alert(1)&lt;/script&gt;&quot;';

const numbers = Array.from({ length: count }, (_, index) => String(100 + index));

/** Makes users and user groups whose names begin with `prefix`; one user and one group have hostile names. */
async function makePeople(prefix: string): Promise<void> {
  const makeUser = (number: string) => {
    const username = `${prefix}${number}`;
    const firstname = number === numbers[0] ? `${hostile}\u202e` : '';
    return admin.result('create_user', { username, email: `${username}@example.com`, firstname });
  };
  for (const number of numbers) await makeUser(number);
  await sql`insert into user_groups (name, name_key, owner_id)
    select ${`${prefix}g`} || n || case when n = 100 then ${hostile} else '' end, ${`${prefix}g`} || n, u.id
    from users u, generate_series(100, ${99 + count}::int) n where u.username = 'admin'`;
}

/** Gives all of them a level on the repository, of which the users are followers. */
async function addToRepository(prefix: string, name: string): Promise<void> {
  const ofUsers = sql`from users u, repositories r where u.username like ${`${prefix}1%`} and r.name = ${name}`;
  await sql`insert into followers (user_id, repository_id) select u.id, r.id ${ofUsers}`;
  await sql`insert into user_repository_permissions (user_id, repository_id, level) select u.id, r.id, 1 ${ofUsers}`;
  await sql`insert into user_group_repository_permissions (user_group_id, repository_id, level)
    select g.id, r.id, 3 from user_groups g, repositories r where g.name like ${`${prefix}g%`} and r.name = ${name}`;
}

/** Gives all of them a level on a new repository group, and returns the path of the page of its levels. */
async function makeGroupOf(prefix: string): Promise<string> {
  const name = uniqueName('group');
  await admin.result('create_repo_group', { group_name: name });
  await sql`insert into user_repo_group_permissions (user_id, repo_group_id, level)
    select u.id, d.id, 1 from users u, repo_groups d where u.username like ${`${prefix}1%`} and d.name = ${name}`;
  await sql`insert into user_group_repo_group_permissions (user_group_id, repo_group_id, level)
    select g.id, d.id, 3 from user_groups g, repo_groups d where g.name like ${`${prefix}g%`} and d.name = ${name}`;
  const [row] = await sql`select id from repo_groups where name = ${name}`;
  return `/_admin/repo_groups/${row?.['id']}/edit/perms`;
}

/** Returns the names that `row` finds on each page of a list, of which each but the first leads back to the first. */
async function namesOn(web: WebClient, path: string, row: RegExp): Promise<(string | undefined)[][]> {
  const pages: (string | undefined)[][] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const { status, text } = await web.get(next);
    expect(status).toBe(200);
    expect(text).not.toContain('<script>');
    expect(text).not.toContain('\u202e');
    expect(text.includes(`<a href="${encodeURI(path)}">First page</a>`)).toBe(pages.length > 0);
    pages.push([...text.matchAll(row)].map(([, name]) => name));
    next = /href="([^"]*)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  }
  return pages;
}

it('followers, and users and groups with a level, are shown fifty a page, each of them once', async () => {
  const { web } = await makeVisitor({ admin: true });
  const name = await makeRepository('git');
  const prefix = uniqueName('p').toLowerCase();
  await makePeople(prefix);
  await addToRepository(prefix, name);

  const followers = await namesOn(web, `/${name}/followers`, new RegExp(`<li>${prefix}(\\d+)[ <]`, 'g'));
  // The owner, who follows what they create, is the first one.
  expect(followers.map(({ length }) => length)).toEqual([49, count - 49]);
  expect(followers.flat()).toEqual(numbers);
  expect((await web.get(`/${name}/followers`)).text).toContain(shown);

  const members = [...numbers, ...numbers.map((number) => `g${number}`)];
  const row = new RegExp(`<span>${prefix}(g?\\d+)[^<]*</span>`, 'g');
  for (const path of [`/${name}/settings/permissions`, await makeGroupOf(prefix)]) {
    const pages = await namesOn(web, path, row);
    // The user `default`, who has the level of everybody, is the first one.
    expect(pages.map(({ length }) => length)).toEqual([49, 50, 2 * count - 99]);
    expect(pages.flat()).toEqual(members);
    const { text } = await web.get(`${path}?cursor=user_group:0`);
    expect(text).toContain(`<span>${prefix}g100${shown}`);
    for (const cursor of ['x', 'user:', 'user:2147483648', '7']) {
      expect((await web.get(`${path}?cursor=${cursor}`)).status, cursor).toBe(400);
    }
  }
  expect((await web.get(`/${name}/followers?cursor=x`)).status).toBe(400);
  expect((await web.get(`/${name}/followers?cursor=2147483647`)).text).toContain('No more followers.');
});

it('a level of somebody on the second page is set, and a refused one is shown with its error', async () => {
  const { web } = await makeVisitor({ admin: true });
  const name = await makeRepository('git');
  const prefix = uniqueName('p').toLowerCase();
  await makePeople(prefix);
  await addToRepository(prefix, name);
  const path = `/${name}/settings/permissions`;
  const second = /href="([^"]*)" rel="next"/.exec((await web.get(path)).text)?.[1] ?? '';
  const last = `${prefix}${numbers.at(-1)}`;
  const sent = { member_type: 'user', member: last, perm: 'repository.write' };
  expect((await web.submit(second, path, sent)).status).toBe(303);
  const [row] = await sql`select level from user_repository_permissions p
    join users u on u.id = p.user_id where u.username = ${last}`;
  expect(row).toEqual({ level: 3 });
  const refused = await web.submit(path, path, { ...sent, member: 'not-there' });
  expect([refused.status, refused.text.includes('role="alert"')]).toEqual([404, true]);
});
