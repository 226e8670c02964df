import type { Caller, EntityRef, Method } from '@trunkline/contracts';
import type { Random } from './random.ts';

const users = [1, 2, 3, 4, 5, 6] as const;
/** The user `default`. */
const defaultUser = 1;
const groups = [1, 2, 3] as const;
const repositories = [1, 2, 3, 4, 5, 6] as const;
const levels = [0, 1, 3, 4] as const;
const storage = '00000000-0000-4000-8000-000000000001';

type Value = string | number | boolean | null;
type Row = Readonly<Record<string, Value>>;

/** A value that is written as it is. */
const expressions = new Set(['now()', 'gen_random_uuid()']);

function written(value: Value): string {
  return typeof value === 'string' && !expressions.has(value) ? `'${value}'` : String(value);
}

/** Returns the statement that inserts rows of the same columns; none for no rows. */
function insert(table: string, rows: readonly Row[]): string[] {
  const [first] = rows;
  if (!first) return [];
  const values = rows.map((row) => `(${Object.values(row).map(written).join(', ')})`);
  return [
    `insert into ${table} (${Object.keys(first).join(', ')}) overriding system value values ${values.join(', ')}`,
  ];
}

const pairs = <A, B>(a: readonly A[], b: readonly B[]) => a.flatMap((left) => b.map((right) => [left, right] as const));

function samplePeople(random: Random): string[] {
  const one = (of: number) => random.below(of) === 0;
  const nameOf = (id: number) => (id === defaultUser ? 'default' : `user-${id}`);
  const expiry = () => (one(6) ? '2000-01-01' : '2100-01-01');
  const limits: readonly [Row, ...Row[]] = [
    { limited_to: null, repository_ids: null },
    { limited_to: null, repository_ids: null },
    { limited_to: 'push', repository_ids: null },
    { limited_to: 'fetch', repository_ids: '{1, 2}' },
  ];
  const user = (id: number) => ({ id, username: nameOf(id), username_key: nameOf(id), active: !one(8) });
  const key = (id: number) => ({ id, user_id: id, mac: `mac ${id}`, sealed: '', secret_id: '' });
  const session = (id: number) => ({ id, user_id: id, mac: `mac ${id}`, expires_at: expiry(), ip: '' });
  const isAdmin = (id: number) => id !== defaultUser && one(4);
  const hash = () => (one(4) ? null : 'hash');
  return [
    ...insert(
      'users',
      users.map((id) => ({ ...user(id), admin: isAdmin(id), password_hash: hash() })),
    ),
    ...insert(
      'api_keys',
      users.map((id) => ({ ...key(id), expires_at: one(2) ? null : expiry(), ...random.pick(limits) })),
    ),
    ...insert('sessions', users.map(session)),
    ...insert(
      'user_ip_addresses',
      pairs(users, ['10.0.0.0/8', '192.0.2.0/24'])
        .filter(() => one(8))
        .map(([user_id, ip_addr]) => ({ user_id, ip_addr })),
    ),
  ];
}

function sampleGroups(random: Random): string[] {
  const one = (of: number) => random.below(of) === 0;
  const permission = 'hg.create.repository';
  const group = (id: number) => ({ id, name: `group-${id}`, name_key: `group-${id}`, owner_id: 2, active: !one(4) });
  const granted = <T>(all: readonly T[], of: number, row: (item: T) => Row) => all.filter(() => one(of)).map(row);
  return [
    ...insert('user_groups', groups.map(group)),
    ...insert(
      'user_group_members',
      granted(pairs(users, groups), 2, ([user_id, user_group_id]) => ({ user_id, user_group_id })),
    ),
    ...insert(
      'user_global_permissions',
      granted(users, 4, (user_id) => ({ user_id, permission })),
    ),
    ...insert(
      'user_group_global_permissions',
      granted(groups, 4, (user_group_id) => ({ user_group_id, permission })),
    ),
  ];
}

function sampleRepositories(random: Random): string[] {
  const one = (of: number) => random.below(of) === 0;
  const switches = { enable_downloads: true, enable_locking: true, enable_statistics: true };
  const repository = (id: number): Row => ({
    id,
    uuid: 'gen_random_uuid()',
    name: `repo-${id}`,
    type: 'hg',
    state: one(8) ? 'creating' : 'ready',
    storage_id: storage,
    storage_path: String(id),
    private: one(2),
    description: '',
    owner_id: random.pick(users),
    landing_rev: 'tip',
    ...switches,
  });
  const granted = (holders: readonly number[], column: string) =>
    pairs(holders, repositories)
      .filter(() => one(3))
      .map(([id, repository_id]): Row => ({ [column]: id, repository_id, level: random.pick(levels) }));
  return [
    ...insert('storages', [{ id: storage, name: 'default' }]),
    ...insert(
      'names',
      repositories.map((id) => ({ path: `repo-${id}`, kind: 'repository' })),
    ),
    ...insert('repositories', repositories.map(repository)),
    ...insert('user_repository_permissions', granted(users, 'user_id')),
    ...insert('user_group_repository_permissions', granted(groups, 'user_group_id')),
  ];
}

/** Returns statements that replace the rows of users, groups, keys, repositories and rights by sampled ones. */
export function sampleWorld(random: Random): readonly string[] {
  return [
    'truncate users, user_groups, repositories, repo_groups, names, storages, audit_log, counted_refusals cascade',
    ...samplePeople(random),
    ...sampleGroups(random),
    ...sampleRepositories(random),
  ];
}

/** Samples a caller, mostly one that exists and uses a credential of its own. */
export function sampleCaller(random: Random, fingerprint: string): Caller {
  const userId = random.below(20) === 0 ? 99 : random.pick(users);
  const id = random.below(12) === 0 ? random.pick(users) : userId;
  const credential = random.pick<Caller['credential']>([
    { kind: 'key', id },
    { kind: 'key', id },
    { kind: 'key', id },
    { kind: 'session', id },
    { kind: 'session', id },
    { kind: 'password', fingerprint: random.below(4) === 0 ? '0'.repeat(64) : fingerprint },
    { kind: 'anonymous' },
  ]);
  return { userId, ip: random.pick(['10.1.2.3', '10.1.2.3', '198.51.100.7']), credential };
}

/** Samples what a method demands that changes a repository. */
export function sampleMethod(random: Random): Pick<Method, 'permission' | 'access'> {
  const caller = random.pick<Method['permission']['caller']>(['any', 'any', 'admin', ['hg.create.repository']]);
  return { permission: { caller, repository: random.pick(['none', 'read', 'write', 'admin']) }, access: 'write' };
}

/** Samples a reference to a repository, by id or by name, in rare cases to none. */
export function sampleRepository(random: Random): EntityRef {
  const id = random.below(10) === 0 ? 99 : random.pick(repositories);
  const isNamed = random.below(2) === 0;
  return { sent: String(id), id: isNamed ? null : id, name: isNamed ? `repo-${id}` : null };
}
