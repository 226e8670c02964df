import type postgres from 'postgres';
import type { Client } from '../harness/client.ts';
import { makeRemote } from '../harness/remotes.ts';
import { isShort } from './bench-form.ts';

export interface Person {
  readonly id: number;
  readonly name: string;
  readonly key: string;
}

/** A repository with bytes, which everybody may read. */
export interface Content {
  readonly name: string;
  readonly commits: readonly string[];
  readonly files: readonly string[];
  readonly directories: readonly string[];
}

const adminCount = 10;
const directories = Array.from({ length: 25 }, (_, index) => `dir-${index}`);
const files = Array.from({ length: isShort ? 50 : 200 }, (_, index) => `${directories[index % 25]}/file-${index}.txt`);
const contentNames = { git: ['git-0', 'git-1', 'git-2', 'git-3'], hg: ['hg-0', 'hg-1', 'hg-2', 'hg-3'] };
const commitCount = isShort ? 3 : 20;

async function addUser(admin: Client, name: string, isAdmin: boolean): Promise<Person> {
  await admin.result('create_user', { username: name, email: `${name}@example.com`, admin: isAdmin });
  const { user_id, api_key } = await admin.result<{ user_id: number; api_key: string }>('get_user', { userid: name });
  return { id: user_id, name, key: api_key };
}

export async function addUsers(admin: Client, peopleCount = 50): Promise<{ people: Person[]; admins: Person[] }> {
  const [people, admins]: [Person[], Person[]] = [[], []];
  while (people.length < peopleCount) people.push(await addUser(admin, `person-${people.length}`, false));
  while (admins.length < adminCount) admins.push(await addUser(admin, `admin-${admins.length}`, true));
  return { people, admins };
}

/** Adds repositories without bytes, with permissions of everybody and of `members` people each; returns their ids. */
export async function addRepositories(
  sql: postgres.Sql,
  people: readonly Person[],
  count: number,
  members = people.length,
): Promise<readonly number[]> {
  const owners = people.map(({ id }) => id);
  const everyNth = Math.floor(people.length / members);
  await sql`insert into names (path, kind) select 'bench-' || n, 'repository' from generate_series(1, ${count}) n`;
  const rows = await sql<{ id: number }[]>`
    insert into repositories (uuid, name, type, state, storage_id, storage_path, private, description, owner_id,
      landing_rev, enable_downloads, enable_locking, enable_statistics)
    select gen_random_uuid(), 'bench-' || n, 'git', 'ready', (select id from storages), 'bench/' || n, false,
      'The repository of a team', (${owners}::int[])[1 + (n - 1) % ${owners.length}], 'tip', false, false, false
    from generate_series(1, ${count}) n order by n returning id`;
  await sql`insert into user_repository_permissions (user_id, repository_id, level)
    select u.id, r.id, 1 from repositories r, users u
    where r.name like 'bench-%' and (u.username = 'default'
      or u.id = any(${owners}) and (array_position(${owners}::int[], u.id) + r.id) % ${everyNth} = 0)`;
  await sql`vacuum analyze`;
  return rows.map(({ id }) => id);
}

/** Imports repositories of both types with some hundred files of 10 KB and some changesets. */
export async function addContent(admin: Client): Promise<readonly Content[]> {
  const content: Content[] = [];
  for (const type of ['git', 'hg'] as const) {
    const remote = await makeRemote[type]();
    const first = Object.fromEntries(files.map((file) => [file, `${file}\n`.repeat(500)]));
    const commits = [await remote.commit(first, 'all')];
    while (commits.length < commitCount) {
      const file = files[commits.length] ?? 'file';
      commits.push(await remote.commit({ [file]: `${commits.length}\n`.repeat(2_000) }, `change of ${file}`));
    }
    for (const name of contentNames[type]) {
      const args = { repo_name: name, repo_type: type, clone_uri: remote.url, enable_downloads: true };
      await admin.result('create_repo', args);
      content.push({ name, commits, files, directories });
    }
    await remote.close();
  }
  return content;
}
