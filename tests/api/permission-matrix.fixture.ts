import type { Client } from '../harness/client.ts';
import { admin, makeUser, sql, uniqueName, type TestUser } from '../harness/shared-cluster.ts';
import { callers, type Caller } from './permission-matrix.table.ts';

interface Subject {
  readonly client: Client;
  readonly id: number;
  readonly username: string;
}

const levels = { none: 0, read: 1, write: 3, admin: 4 };
type Level = keyof typeof levels;

/** The callers' own levels on every object, and the user groups that they are in. */
const explicit: Partial<Record<Caller, Level>> = {
  'explicit admin': 'admin',
  'explicit write': 'write',
  'explicit read': 'read',
  'explicit none': 'none',
  'explicit read, group admin': 'read',
  'explicit none, group admin': 'none',
};
const memberOf: Partial<Record<Caller, readonly string[]>> = {
  'group admin': ['admin'],
  'group write': ['write'],
  'group read': ['read'],
  'inactive group admin': ['inactive'],
  'explicit read, group admin': ['admin'],
  'explicit none, group admin': ['admin'],
  'groups read and write': ['read', 'write'],
  'group none': ['none'],
};

const subjects = new Map<Caller, Subject>();
const groupIds = new Map<string, number>();
export let stranger: TestUser;
export let strangers: string;

/** Creates the users and user groups; `addRows` then gives them their levels on each repository and group. */
export async function makeCallers(): Promise<void> {
  for (const level of ['none', 'read', 'write', 'admin', 'inactive']) {
    const group_name = uniqueName(`matrix-${level}`);
    const { users_group: group } = await admin.result<{ users_group: { users_group_id: number } }>(
      'create_user_group',
      { group_name, active: level !== 'inactive' },
    );
    groupIds.set(level, group.users_group_id);
  }
  for (const caller of callers) {
    const user = await makeUser({ admin: caller === 'admin' });
    subjects.set(caller, user);
    for (const group of memberOf[caller] ?? []) {
      await admin.result('add_user_to_user_group', { usersgroupid: groupIds.get(group), userid: user.id });
    }
  }
  stranger = await makeUser();
  strangers = uniqueName('strangers');
  await admin.result('create_user_group', { group_name: strangers });
}

export function subjectOf(caller: Caller): Subject {
  const subject = subjects.get(caller);
  if (!subject) throw new Error(`no ${caller}`);
  return subject;
}

/** Gives every caller and user group its level on a repository or a repository group. */
async function addRows(kind: 'repository' | 'repo_group', id: number): Promise<void> {
  const ofUsers = Object.entries(explicit).map(([caller, level]) => ({
    user_id: subjectOf(caller as Caller).id,
    [`${kind}_id`]: id,
    level: levels[level],
  }));
  const ofGroups = [...groupIds].map(([level, user_group_id]) => ({
    user_group_id,
    [`${kind}_id`]: id,
    level: levels[level === 'inactive' ? 'admin' : (level as Level)],
  }));
  await sql`insert into ${sql(`user_${kind}_permissions`)} ${sql(ofUsers)}`;
  await sql`insert into ${sql(`user_group_${kind}_permissions`)} ${sql(ofGroups)}`;
}

export async function makeRepository(isPrivate: boolean): Promise<string> {
  const repo_name = uniqueName('matrix');
  const owner = subjectOf('owner').username;
  const { repo } = await admin.result<{ repo: { repo_id: number } }>('create_repo', {
    repo_name,
    repo_type: 'git',
    private: isPrivate,
    owner,
  });
  await addRows('repository', repo.repo_id);
  return repo_name;
}

export async function makeRepoGroup(isClosed: boolean): Promise<string> {
  const group_name = uniqueName('matrix');
  const { repo_group: group } = await admin.result<{ repo_group: { group_id: number } }>('create_repo_group', {
    group_name,
    owner: subjectOf('owner').username,
  });
  if (isClosed) {
    const perm = 'group.none';
    await admin.result('grant_user_permission_to_repo_group', { repogroupid: group_name, userid: 'default', perm });
  }
  await addRows('repo_group', group.group_id);
  return group_name;
}

/** Returns all rows of a repository or a repository group in the database. */
export async function stateOf(name: string): Promise<unknown> {
  return sql`select row_to_json(o), (select json_agg(p) from user_repository_permissions p where p.repository_id = o.id),
      (select json_agg(p) from user_group_repository_permissions p where p.repository_id = o.id),
      (select json_agg(f) from followers f where f.repository_id = o.id)
    from repositories o where o.name = ${name}
    union all select row_to_json(o), (select json_agg(p) from user_repo_group_permissions p where p.repo_group_id = o.id),
      (select json_agg(p) from user_group_repo_group_permissions p where p.repo_group_id = o.id), null
    from repo_groups o where o.name = ${name}`;
}
