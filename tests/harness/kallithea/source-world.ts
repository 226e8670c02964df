import { createHash } from 'node:crypto';
import { hashSync } from 'bcryptjs';
import { seededRandom, someOf, type Random } from '../random.ts';
import type { Generation } from './source-schema.ts';
import type { Row, Tables } from './write-source.ts';

export interface WorldUser {
  readonly id: number;
  readonly username: string;
  /** The password that opens the account here; null for one that nothing opens. */
  readonly password: string | null;
  /** The password of which the source has a hash; empty where it has none. */
  readonly stored: string;
  readonly admin: boolean;
  readonly apiKey: string;
}

export interface WorldRepository {
  readonly id: number;
  readonly name: string;
  readonly type: 'hg' | 'git';
}

/** What another program has in its database, and what tests have to know beside it. */
export interface World {
  readonly generation: Generation;
  readonly tables: Tables;
  readonly users: readonly WorldUser[];
  readonly repositories: readonly WorldRepository[];
}

export interface WorldSize {
  readonly users: number;
  readonly userGroups: number;
  readonly repoGroups: number;
  readonly repositories: number;
}

const permissionNames = [
  ...['repository', 'group', 'usergroup'].flatMap((kind) =>
    ['none', 'read', 'write', 'admin'].map((l) => `${kind}.${l}`),
  ),
  'hg.create.none',
  'hg.create.repository',
  'hg.fork.none',
  'hg.fork.repository',
  'hg.register.none',
];
const permissionIds = new Map(permissionNames.map((name, at) => [name, at + 1]));
export const permissionId = (name: string) => permissionIds.get(name) ?? 0;

const keyOf = (...words: readonly string[]) => createHash('sha1').update(words.join(' ')).digest('hex');
const createdOn = '2014-03-02 10:20:30.123456';
const long = `${'long'.repeat(18)}tail`;

/** Names that are not accepted here as they are, or clash when case is ignored. */
const oddNames = ['12345', 'with space', 'Änne', 'ÄNNE', 'at@corp', 'admin', 'new_user'];

/** Passwords in the forms that the generations store; few different ones, since bcrypt is costly. */
const passwords = [
  { password: 'old password', hash: hashSync('old password', 4) },
  { password: 'grüße', hash: hashSync('grüße', 4) },
  { password: long, hash: hashSync(long, 4) },
  { password: 'of Windows', hash: createHash('sha256').update('of Windows').digest('hex') },
] as const;

function makeUsers(salt: string, count: number) {
  const users: WorldUser[] = [];
  const rows: Row[] = [];
  const add = (username: string, { admin = false, external = false, empty = false } = {}) => {
    const id = users.length + 2;
    const { password, hash } = passwords[id % passwords.length] ?? passwords[0];
    const apiKey = keyOf(salt, username);
    const isOpen = !external && !empty;
    users.push({ id, username, password: isOpen ? password : null, stored: empty ? '' : password, admin, apiKey });
    rows.push({
      user_id: id,
      username,
      password: empty ? '' : hash,
      active: true,
      admin,
      firstname: 'First',
      lastname: username,
      // One has none, as when the form was left empty.
      email: id % 7 === 0 ? null : `user${id}@example.com`,
      last_login: createdOn,
      api_key: apiKey,
      created_on: createdOn,
      extern_type: external ? 'ldap' : 'internal',
      extern_name: external ? `uid=${username}` : null,
      ldap_dn: external ? `uid=${username}` : null,
      // Some replace the permissions of `default` by their own.
      inherit_default_permissions: id % 5 !== 0,
    });
  };
  add('root', { admin: true });
  for (const name of oddNames) add(name);
  add('external', { external: true });
  add('empty', { empty: true });
  while (users.length < count) add(`user-${users.length}`);
  const everyone = {
    user_id: 1,
    username: 'default',
    password: '',
    active: false,
    admin: false,
    email: 'anon@example.com',
  };
  const common = { api_key: keyOf(salt, 'default'), created_on: createdOn, inherit_default_permissions: true };
  return { users, rows: [{ ...everyone, ...common }, ...rows] };
}

interface Sample {
  readonly random: Random;
  readonly userIds: readonly number[];
  readonly userGroupIds: readonly number[];
}

/** Samples rows that grant levels on an object: of `default`, of some users and of some user groups. */
function sampleGrants({ random, userIds, userGroupIds }: Sample, kind: 'repository' | 'group', columns: Row) {
  const level = () => permissionId(`${kind}.${random.pick(['none', 'read', 'write', 'admin'])}`);
  const everyone = permissionId(`${kind}.${random.pick(['none', 'read', 'read', 'write'])}`);
  return {
    users: [
      { user_id: 1, permission_id: everyone, ...columns },
      ...someOf(random, userIds, random.below(4)).map((user_id) => ({ user_id, permission_id: level(), ...columns })),
    ],
    userGroups: someOf(random, userGroupIds, random.below(3)).map((users_group_id) => ({
      users_group_id,
      permission_id: level(),
      ...columns,
    })),
  };
}

function makeUserGroups(count: number, { random, userIds, userGroupIds }: Sample) {
  const groups = userGroupIds.map((id) => ({
    users_group_id: id,
    users_group_name: id === 1 ? 'dev team' : `group-${id}`,
    users_group_active: id !== count,
    user_id: userIds[id % userIds.length] ?? 2,
    created_on: createdOn,
    user_group_description: 'a group',
    users_group_inherit_default_permissions: id !== 2,
  }));
  const members = userGroupIds.flatMap((users_group_id) =>
    someOf(random, userIds, 1 + random.below(4)).map((user_id) => ({ users_group_id, user_id })),
  );
  return { groups, members };
}

const repoGroupNames = ['team', 'team/sub', '42', 'team/old.git'];

function makeRepoGroups(count: number, userIds: readonly number[]): Row[] {
  return Array.from({ length: count }, (_, at) => {
    const name = repoGroupNames[at] ?? `area-${at}`;
    const owner = userIds[at % userIds.length] ?? 2;
    return { group_id: at + 1, group_name: name, group_description: 'area', user_id: owner, created_on: createdOn };
  });
}

const leaves = ['tool', 'lib.hg', '007', 'web site', 'Ünïcode', '_admin'];

function makeRepositories(count: number, { random, userIds }: Sample, repoGroups: readonly Row[]) {
  return Array.from({ length: count }, (_, at): Row => {
    const group = at % 3 === 0 ? undefined : repoGroups[at % repoGroups.length];
    const leaf = at < leaves.length ? (leaves[at] ?? '') : `repo-${at}`;
    const name = group ? `${String(group['group_name'])}/${leaf}` : leaf;
    const isFork = at > 2 && at % 4 === 0;
    return {
      repo_id: at + 1,
      repo_name: name,
      repo_type: at % 2 === 0 ? 'hg' : 'git',
      clone_uri: at === 1 ? 'https://robot:hidden-password@example.com/repo' : null,
      user_id: userIds[random.below(userIds.length)] ?? 2,
      private: random.below(3) === 0,
      statistics: false,
      downloads: true,
      description: `repository ${at}`,
      created_on: createdOn,
      updated_on: createdOn,
      landing_revision: 'rev:tip',
      fork_id: isFork ? at - 1 : null,
      group_id: group ? (group['group_id'] ?? null) : null,
      enable_locking: false,
      locked: at === 3 ? '2:1400000000.5' : null,
      repo_state: 'repo_state_created',
    };
  });
}

const numbered = (column: string, rows: readonly Row[]): Row[] => rows.map((row, at) => ({ [column]: at + 1, ...row }));

/** Samples what another program has; a seed determines it. */
export function makeWorld(generation: Generation, seed: number, size: WorldSize): World {
  /** Two sources have no key in common. */
  const salt = `${generation} ${seed}`;
  const random = seededRandom(seed, generation === 'kallithea 0.7' ? 0 : 1);
  const { users, rows: userRows } = makeUsers(salt, size.users);
  const sample: Sample = {
    random,
    userIds: users.map(({ id }) => id),
    userGroupIds: Array.from({ length: size.userGroups }, (_, at) => at + 1),
  };
  const { groups: userGroups, members } = makeUserGroups(size.userGroups, sample);
  const repoGroups = makeRepoGroups(size.repoGroups, sample.userIds);
  const repositories = makeRepositories(size.repositories, sample, repoGroups);
  const onRepositories = repositories.map(({ repo_id }) =>
    sampleGrants(sample, 'repository', { repository_id: repo_id ?? null }),
  );
  const onGroups = repoGroups.map(({ group_id }) => sampleGrants(sample, 'group', { group_id: group_id ?? null }));
  const created = permissionId('hg.create.repository');
  const everyoneHas = ['repository.read', 'group.read', 'usergroup.read', 'hg.fork.repository'].map((name) => ({
    user_id: 1,
    permission_id: permissionId(name),
  }));
  const followings = repositories.flatMap(({ repo_id }) =>
    someOf(random, sample.userIds, 2).map((user_id) => ({ user_id, follows_repository_id: repo_id ?? null })),
  );
  const tables: Tables = {
    permissions: [...permissionIds].map(([permission_name, permission_id]) => ({ permission_id, permission_name })),
    users: userRows,
    user_email_map: [
      { email_id: 1, user_id: 2, email: 'second@example.com' },
      { email_id: 2, user_id: 3, email: 'user2@example.com' },
    ],
    user_ip_map: [{ ip_id: 1, user_id: 4, ip_addr: '127.0.0.1/8', active: true }],
    user_api_keys: [
      { user_api_key_id: 1, user_id: 2, api_key: keyOf(salt, 'further'), description: 'further', expires: -1 },
      {
        user_api_key_id: 2,
        user_id: 2,
        api_key: keyOf(salt, 'expired'),
        description: 'expired',
        expires: 1_400_000_000.25,
      },
      {
        user_api_key_id: 3,
        user_id: 3,
        api_key: keyOf(salt, 'weak').slice(0, 32),
        description: 'weak',
        expires: -1,
      },
    ].map((row) => ({ ...row, created_on: createdOn })),
    users_groups: userGroups,
    users_groups_members: numbered('users_group_member_id', members),
    groups: repoGroups,
    repositories,
    repo_to_perm: numbered(
      'repo_to_perm_id',
      onRepositories.flatMap((one) => one.users),
    ),
    users_group_repo_to_perm: numbered(
      'users_group_to_perm_id',
      onRepositories.flatMap((one) => one.userGroups),
    ),
    user_repo_group_to_perm: numbered(
      'group_to_perm_id',
      onGroups.flatMap((one) => one.users),
    ),
    users_group_repo_group_to_perm: numbered(
      'users_group_repo_group_to_perm_id',
      onGroups.flatMap((one) => one.userGroups),
    ),
    user_to_perm: numbered('user_to_perm_id', [...everyoneHas, { user_id: 5, permission_id: created }]),
    users_group_to_perm: [{ users_group_to_perm_id: 1, users_group_id: 1, permission_id: created }],
    user_followings: numbered('user_following_id', followings),
    changeset_comments: [{ comment_id: 1, repo_id: 1, text: 'a comment' }],
    gists: [{ gist_id: 1, gist_description: 'a gist' }],
  };
  const toRepository = (row: Row): WorldRepository => ({
    id: Number(row['repo_id']),
    name: String(row['repo_name']),
    type: row['repo_type'] === 'git' ? 'git' : 'hg',
  });
  return { generation, tables, users, repositories: repositories.map(toRepository) };
}
