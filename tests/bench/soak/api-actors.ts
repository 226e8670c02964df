import { randomBytes } from 'node:crypto';
import { methods, type ReplyEnvelope } from '@trunkline/contracts';
import fc from 'fast-check';
import { createClient, post, type Client } from '../../harness/client.ts';
import { sampleHostile } from '../../harness/hostile-values.ts';
import type { Random } from '../../harness/random.ts';
import type { Remote } from '../../harness/remotes.ts';
import { sampleCall, type Fixture } from '../../harness/load-calls.ts';
import type { Actor, Outcome } from './run-actors.ts';

export interface Stage {
  readonly baseUrls: readonly [string, ...string[]];
  readonly adminKey: string;
  readonly readerKey: string;
  readonly fixture: Fixture;
  readonly remotes: Readonly<Record<'hg' | 'git', Remote>>;
}

const unsettled = /^(?:Service is |The outcome of operation )/;

/** Classifies a reply; an error is right when it is one of `refusals`, and any error is when that is `any`. */
function judge({ error }: ReplyEnvelope, call: string, refusals: readonly string[] | 'any'): Outcome {
  if (error === null) return 'answered';
  if (unsettled.test(error)) return 'busy';
  if (error !== 'Internal server error' && (refusals === 'any' || refusals.includes(error))) return 'refused';
  return { wrong: `${call}: ${error}` };
}

const clientOf = (stage: Stage, random: Random, key = stage.adminKey): Client =>
  createClient(random.pick(stage.baseUrls), key);

/** Creates, forks, renames, moves, deletes, grants, locks and pulls repositories of a few names. */
function changing(stage: Stage): Actor['act'] {
  return async (random, tell) => {
    const { method, args, refusals } = sampleCall(stage.fixture, random);
    tell(judge(await clientOf(stage, random).call(method, args), `${method} ${JSON.stringify(args)}`, refusals));
  };
}

/** Imports a repository, uses it and deletes it. */
function living(stage: Stage): Actor['act'] {
  return async (random, tell) => {
    const client = clientOf(stage, random);
    const type = random.pick(['hg', 'git'] as const);
    const name = `life/${type}-${randomBytes(4).toString('hex')}`;
    const repoid = name;
    const steps: readonly (readonly [string, object])[] = [
      ['create_repo', { repo_name: name, repo_type: type, clone_uri: stage.remotes[type].url, enable_downloads: true }],
      ['get_repo', { repoid }],
      ['get_repo_nodes', { repoid, revision: 'tip', root_path: '/' }],
      ['get_changesets', { repoid, with_file_list: true, limit: 50, reverse: true }],
      ['get_changeset', { repoid, revision: 'tip', with_file_list: true }],
      ['get_repo_refs', { repoid }],
      ['pull', { repoid }],
      ['fork_repo', { repoid, fork_name: `${name}-fork` }],
      ['update_repo', { repoid, description: name }],
      ['invalidate_cache', { repoid }],
      ['delete_repo', { repoid, forks: 'delete' }],
    ];
    for (const [method, args] of steps) tell(judge(await client.call(method, args), `${method} ${name}`, []));
  };
}

/** Calls all listings, and creates and deletes users, groups and keys. */
function administering(stage: Stage): Actor['act'] {
  return async (random, tell) => {
    const client = clientOf(stage, random);
    const word = `u${randomBytes(5).toString('hex')}`;
    const steps: readonly (readonly [string, object])[] = [
      ['create_user', { username: word, email: `${word}@example.com`, password: word }],
      ['create_api_key', { userid: word, description: 'one more' }],
      ['create_user_group', { group_name: word }],
      ['add_user_to_user_group', { usersgroupid: word, userid: word }],
      ['create_repo_group', { group_name: word }],
      ['grant_user_permission_to_repo_group', { repogroupid: word, userid: word, perm: 'group.write' }],
      ...['get_repos', 'get_users', 'get_user_groups', 'get_repo_groups', 'get_locks', 'get_audit_log'].map(
        (method) => [method, { limit: 100 }] as const,
      ),
      ['list_operations', { limit: 50 }],
      ['get_server_info', {}],
      ['delete_repo_group', { repogroupid: word }],
      ['delete_user_group', { usersgroupid: word }],
      ['delete_user', { userid: word }],
    ];
    const sent = steps.map(([method, args]) => [method, args] as const);
    for (const [method, args] of sent) tell(judge(await client.call(method, args), `${method} ${word}`, []));
  };
}

const reading = ['get_repo_nodes', 'get_changeset', 'get_changesets', 'get_repo', 'get_repos', 'get_users'] as const;

/** Calls any method with hostile values as a user without rights, and reading methods as an administrator. */
function attacking(stage: Stage, canary: string): Actor['act'] {
  const all = Object.values(methods);
  const { value } = sampleHostile(canary, ['tip']);
  return async (random, tell) => {
    const byAdmin = random.below(2) === 0;
    const name = byAdmin ? random.pick(reading) : (all[random.below(all.length)]?.name ?? 'test');
    const names = Object.keys(methods[name].args);
    const values = fc.sample(value, { seed: random.below(2 ** 31), numRuns: names.length });
    const args = {
      ...Object.fromEntries(names.map((arg, at) => [arg, values[at]])),
      ...(byAdmin && { repoid: random.pick(stage.fixture.sources) }),
    };
    // These methods may replace or revoke the caller's own key; then the next calls would be refused.
    if (name === 'reset_api_key' || name === 'revoke_api_key') return;
    const client = clientOf(stage, random, byAdmin ? stage.adminKey : stage.readerKey);
    tell(judge(await client.call(name, args), `${name} ${JSON.stringify(args).slice(0, 200)}`, 'any'));
  };
}

/** Sends wrong keys and malformed envelopes, from many addresses. */
function guessing(stage: Stage): Actor['act'] {
  return async (random, tell) => {
    const baseUrl = random.pick(stage.baseUrls);
    const headers = { 'X-Forwarded-For': `192.0.2.${random.below(250)}` };
    const key = randomBytes(20).toString('hex');
    const whole = JSON.stringify({ id: 1, api_key: key, method: 'get_repos', args: {} });
    const body = random.pick([whole, whole.slice(0, random.below(whole.length)), `[${whole}]`, '['.repeat(5_000)]);
    const { status, text } = await post(baseUrl, body, headers);
    const known = /"error":"(?:Invalid API key|JSON parse error|Incorrect JSON|Content-Length is 0|Service is busy)/;
    tell(status === 200 && known.test(text) ? 'refused' : { wrong: `${body.slice(0, 100)}: ${status} ${text}` });
  };
}

export function apiActors(stage: Stage, canary: string): Actor[] {
  return [
    { name: 'storm', count: 4, act: changing(stage) },
    { name: 'life', count: 2, act: living(stage) },
    { name: 'administration', count: 1, act: administering(stage) },
    { name: 'attack', count: 2, act: attacking(stage, canary) },
    { name: 'guess', count: 1, act: guessing(stage) },
  ];
}
