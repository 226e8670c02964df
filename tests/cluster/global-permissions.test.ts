import type { ReplyEnvelope } from '@trunkline/contracts';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Client, createClient } from '../harness/client.ts';
import { type Cluster, startCluster } from '../harness/cluster.ts';

/** Kind of a reply, in one letter: `+` a result, `0` the result null, `?` an unknown error, else a known error text. */
type AnswerLetter = '+' | '0' | '-' | 'n' | 'x' | 's' | 'o' | 'p' | 'g' | 'f' | '?';

const texts: Readonly<Record<string, AnswerLetter>> = {
  'Access was denied to this resource.': 'x',
  'userid is not the same as your user': 's',
  'Only admin can specify `owner` param': 'o',
  'no permission to create (or move) repositories': 'p',
};

/** Returns the kind of a reply to a call with these arguments; error texts must match exactly. */
function answerLetter(
  { result, error }: ReplyEnvelope,
  args: Readonly<Record<string, unknown>>,
  group: string,
): AnswerLetter {
  if (error === null) return result === null ? '0' : '+';
  const repoid = String(args['repoid']);
  const dynamic: Readonly<Record<string, AnswerLetter>> = {
    [`repository \`${repoid}\` does not exist`]: '-',
    [`operation \`${String(args['operation_id'])}\` does not exist`]: 'n',
    [`no permission to create repo in ${group}`]: 'g',
    [`Unable to pull changes from \`${repoid}\``]: 'f',
    [`failed to get repo: \`${repoid}\` nodes`]: 'f',
  };
  return texts[error] ?? dynamic[error] ?? '?';
}

type Names = readonly string[];
interface CallerSpec {
  readonly admin?: true;
  readonly own?: Names;
  readonly group?: Names;
  readonly inactiveGroup?: Names;
}

interface Me {
  readonly name: string;
  readonly client: Client;
  /** The id of a repository that the user owns; its name may change. */
  readonly mine: number;
}

const create = ['hg.create.repository'];
const fork = ['hg.fork.repository'];

/** The callers of the table's columns, from left to right; `default` has neither right. */
const callers: Readonly<Record<string, CallerSpec>> = {
  administrator: { admin: true },
  nothing: {},
  'own-create': { own: create },
  'own-fork': { own: fork },
  'group-create': { group: create },
  'group-fork': { group: fork },
  'inactive-create': { inactiveGroup: create },
  'inactive-both': { inactiveGroup: [...create, ...fork] },
  'group-create-inactive-fork': { group: create, inactiveGroup: fork },
};

/*
 * Each caller owns the group `<caller>` and a repository in it; the administrator owns `other` and its repositories.
 * The letters are those of tests/api/permission-matrix.table.ts, and
 *
 *   p  refused: "no permission to create (or move) repositories"
 *
 *   administrator
 *   | nothing
 *   | | create, fork: own
 *   | | |  create, fork: of an active group
 *   | | |  |  create, both: of an inactive group
 *   | | |  |  |  create of an active group, fork of an inactive one
 *   + + ++ ++ ++ +
 */
// oxfmt-ignore
const table: readonly (readonly [row: string, cells: string, method: string, args: (me: Me) => object])[] = [
  ['create',                   '+ x +x +x xx +', 'create_repo', ({ name }) => ({ repo_name: `new-${name}`, repo_type: 'git' })],
  ['create for an owner',      '+ x ox ox xx o', 'create_repo', ({ name }) => ({ repo_name: `for-${name}`, owner: name })],
  ['create in a group',        '+ x gx gx xx g', 'create_repo', ({ name }) => ({ repo_name: `other/${name}` })],
  ['create in an own group',   '+ x +x +x xx +', 'create_repo', ({ name }) => ({ repo_name: `${name}/new` })],
  ['fork',                     '+ x ++ ++ xx +', 'fork_repo', ({ name }) => ({ repoid: 'other/open', fork_name: `fork-${name}` })],
  ['fork for an owner',        '+ x oo oo xx o', 'fork_repo', ({ name }) => ({ repoid: 'other/open', fork_name: `ff-${name}`, owner: name })],
  ['fork into a group',        '+ x gg gg xx g', 'fork_repo', ({ name }) => ({ repoid: 'other/open', fork_name: `other/f-${name}` })],
  ['fork into an own group',   '+ x ++ ++ xx +', 'fork_repo', ({ name }) => ({ repoid: 'other/open', fork_name: `${name}/fork` })],
  ['fork what is hidden',      '+ x -- -- xx -', 'fork_repo', ({ name }) => ({ repoid: 'other/hidden', fork_name: `fh-${name}` })],
  ['update',                   '+ p +p +p pp +', 'update_repo', ({ mine }) => ({ repoid: mine, description: 'changed' })],
  ['update owner',             '+ p op op pp o', 'update_repo', ({ name, mine }) => ({ repoid: mine, owner: name })],
  ['move into a group',        '+ p gp gp pp g', 'update_repo', ({ mine }) => ({ repoid: mine, group: 'other' })],
  ['update what others own',   '+ - -- -- -- -', 'update_repo', () => ({ repoid: 'other/open', description: 'changed' })],
  ['update what is hidden',    '+ - -- -- -- -', 'update_repo', () => ({ repoid: 'other/hidden', description: 'changed' })],
];

let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;
const allCallers: Me[] = [];

async function grantThroughGroup(username: string, rights: Names, active: boolean): Promise<void> {
  const group_name = `${username}-${active ? 'active' : 'inactive'}`;
  await admin.result('create_user_group', { group_name, active });
  await admin.result('add_user_to_user_group', { usersgroupid: group_name, userid: username });
  for (const one of rights) {
    await sql`insert into user_group_global_permissions select id, ${one} from user_groups where name = ${group_name}`;
  }
}

async function makeRepository(repo_name: string, args: object = {}): Promise<number> {
  const made = await admin.result<{ repo: { repo_id: number } }>('create_repo', {
    repo_name,
    repo_type: 'git',
    ...args,
  });
  return made.repo.repo_id;
}

async function makeCaller(username: string, spec: CallerSpec): Promise<Me> {
  await admin.result('create_user', { username, email: `${username}@example.com`, admin: spec.admin ?? false });
  for (const one of spec.own ?? []) {
    await sql`insert into user_global_permissions select id, ${one} from users where username = ${username}`;
  }
  if (spec.group) await grantThroughGroup(username, spec.group, true);
  if (spec.inactiveGroup) await grantThroughGroup(username, spec.inactiveGroup, false);
  const mine = await makeRepository(`${username}/mine`, { owner: username });
  await sql`update repo_groups set owner_id = u.id from users u where u.username = ${username} and name = ${username}`;
  const { api_key: key } = await admin.result<{ api_key: string }>('get_user', { userid: username });
  return { name: username, client: createClient(cluster.baseUrl, key), mine };
}

/** Returns every repository, group, name and level; a refused call changes none of them. */
async function state(): Promise<unknown> {
  return sql`select to_jsonb(t) as row from repositories t union all select to_jsonb(t) from repo_groups t
    union all select to_jsonb(t) from names t union all select to_jsonb(t) from user_repository_permissions t
    order by row`;
}

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  await sql`delete from user_global_permissions where permission in ('hg.create.repository', 'hg.fork.repository')`;
  await makeRepository('other/open');
  await makeRepository('other/hidden', { private: true });
  for (const [name, spec] of Object.entries(callers)) allCallers.push(await makeCaller(name, spec));
});
afterAll(async () => {
  await sql.end();
  await cluster.stop();
});

describe('B9 a caller without the global right', () => {
  it.each(table)('%s', async (_row, expected, method, argsOf) => {
    const letters: string[] = [];
    for (const me of allCallers) {
      const { name, client } = me;
      const args = { ...argsOf(me) };
      const before = await state();
      const reply = await client.call(method, args);
      const letter = answerLetter(reply, args, 'other');
      expect(letter, `${name}: ${reply.error}`).not.toBe('?');
      const after = letter === '+' ? before : await state();
      expect(after, name).toEqual(before);
      letters.push(letter);
    }
    expect(expected.replaceAll(/\S/g, () => letters.shift() ?? '')).toBe(expected);
    expect(letters).toEqual([]);
  });

  const clientOf = (name: string) => allCallers.find((one) => one.name === name)?.client ?? admin;

  it.each(['group-create', 'own-fork', 'nothing'])('%s still deletes own repositories', async (name) => {
    const repoid = await makeRepository(`${name}-doomed`, { owner: name });
    expect((await clientOf(name).call('delete_repo', { repoid })).error).toBeNull();
  });

  it('has the right as long as `default` has it', async () => {
    const client = clientOf('nothing');
    const refused = 'Access was denied to this resource.';
    expect(await client.error('create_repo', { repo_name: 'one' })).toBe(refused);
    await sql`insert into user_global_permissions select id, 'hg.create.repository' from users where username = 'default'`;
    await client.result('create_repo', { repo_name: 'one' });
    await sql`delete from user_global_permissions where user_id = (select id from users where username = 'default')
      and permission = 'hg.create.repository'`;
    expect(await client.error('create_repo', { repo_name: 'two' })).toBe(refused);
  });
});
