import { join } from 'node:path';
import type { Sql } from 'postgres';
import * as v from 'valibot';
import type { Client } from './client.ts';
import { git, hg } from './remotes.ts';
import type { LoadResult } from './load.ts';

/** Returns the errors that no order of the calls explains. */
export function wrongAnswers(results: readonly LoadResult[]): string[] {
  return results
    .filter(({ call, error }) => error !== null && !call.refusals.includes(error))
    .map(({ call, error, invoked, responded }) => {
      return `${call.method} ${JSON.stringify(call.args)}: ${error} (after ${Math.round(responded - invoked)} ms)`;
    });
}

/** Returns the contradictions between rows of the database, and the operations that have not ended. */
export async function findContradictions(sql: Sql): Promise<string[]> {
  const rows = await sql<{ fault: string }[]>`
    select name || ' is not in its group ' || coalesce(parent, '') as fault
      from (select r.name, g.name as parent from repositories r left join repo_groups g on g.id = r.group_id
        union all
        select c.name, p.name from repo_groups c left join repo_groups p on p.id = c.parent_id) placed
      where coalesce(parent || '/', '') <> regexp_replace(name, '[^/]+$', '')
    union all
    select name || ' has half a lock' from repositories where (locked_by_id is null) <> (locked_at is null)
    union all
    select g.name || ' was left by a failed creation' from repo_groups g
      where not exists (select 1 from repositories r where r.group_id = g.id)
        and not exists (select 1 from repo_groups c where c.parent_id = g.id)
        and exists (select 1 from operations o
          where o.state = 'failed' and o.request->'createdGroupIds' @> to_jsonb(g.id))
    union all
    select 'operation ' || id || ' is running' from operations where state = 'running'
    union all
    select 'the audit log has ' || method || ' ' || request_id || ' running' from audit_log where outcome = 'running'`;
  return rows.map(({ fault }) => fault);
}

const Listed = v.array(v.object({ repo_id: v.number(), repo_name: v.string(), fork_of: v.nullable(v.string()) }));
const Details = v.object({
  last_changeset: v.object({ revision: v.number() }),
  members: v.array(
    v.union([
      v.object({ type: v.literal('user'), username: v.string(), permission: v.string() }),
      v.object({ type: v.literal('users_group'), group_name: v.string(), permission: v.string() }),
    ]),
  ),
});
const Held = v.object({ locked_by: v.nullable(v.string()) });

/** Reads a repository over the API: the levels of its members, the holder of its lock, and its files. */
async function lookAt(admin: Client, { repo_id, repo_name }: v.InferOutput<typeof Listed>[number]) {
  const { last_changeset, members } = v.parse(Details, await admin.result('get_repo', { repoid: repo_name }));
  const nodes = await admin.call('get_repo_nodes', { repoid: repo_id, revision: 'tip', root_path: '/' });
  const readable = last_changeset.revision < 0 || (Array.isArray(nodes.result) && nodes.result.length > 0);
  const { locked_by } = v.parse(Held, await admin.result('lock', { repoid: repo_id }));
  const levels = members.map((one): [string, string | null] => [
    `${repo_id} ${one.type} ${one.type === 'user' ? one.username : one.group_name}`,
    one.permission,
  ]);
  return {
    faults: readable ? [] : [`${repo_name} cannot be read: ${nodes.error}`],
    shown: [...levels, [`${repo_id} lock`, locked_by] as const],
  };
}

/** Returns the last value of each setting, when its call began after all other calls on that setting were answered. */
function lastSettings(results: readonly LoadResult[]): Map<string, string | null> {
  const effective = results.filter(({ error, responded }) => error === null || responded === Infinity);
  const bySubject = new Map<string, LoadResult[]>();
  for (const one of effective) {
    const what = one.call.sets?.what;
    if (what !== undefined) bySubject.set(what, [...(bySubject.get(what) ?? []), one]);
  }
  const settings = new Map<string, string | null>();
  for (const [what, all] of bySubject) {
    const last = all.reduce((latest, one) => (one.invoked > latest.invoked ? one : latest));
    const overlapped = last.error !== null || all.some((one) => one !== last && one.responded >= last.invoked);
    if (!overlapped) settings.set(what, last.call.sets?.value ?? null);
  }
  return settings;
}

/** Compares the settings that the API shows with those that it acknowledged; `compared` is the number of settings. */
export async function compareWithApi(
  admin: Client,
  results: readonly LoadResult[],
): Promise<{ faults: string[]; compared: number }> {
  const repositories = v.parse(Listed, await admin.result('get_repos'));
  const names = new Set(repositories.map(({ repo_name }) => repo_name));
  const dangling = repositories.filter(({ fork_of }) => fork_of !== null && !names.has(fork_of));
  const looks = await Promise.all(repositories.map((one) => lookAt(admin, one)));
  const shown = new Map(looks.flatMap((look) => look.shown));
  const live = new Set(repositories.map(({ repo_id }) => String(repo_id)));
  const settings = [...lastSettings(results)].filter(([what]) => live.has(what.split(' ')[0] ?? ''));
  const lost = settings.filter(([what, value]) => (shown.get(what) ?? null) !== value);
  return {
    faults: [
      ...dangling.map(({ repo_name, fork_of }) => `${repo_name} is a fork of ${fork_of}, which does not exist`),
      ...looks.flatMap(({ faults }) => faults),
      ...lost.map(([what, value]) => `${what} was set to ${value}, and is ${shown.get(what) ?? null}`),
    ],
    compared: settings.length,
  };
}

/** Runs hg verify and git fsck on the newest `each` repositories of each type; rejects when one is damaged. */
export async function verifySample(sql: Sql, storageRoot: string, each: number): Promise<void> {
  for (const type of ['hg', 'git'] as const) {
    const rows = await sql<{ storagePath: string }[]>`
      select storage_path as "storagePath" from repositories where type = ${type} order by id desc limit ${each}`;
    for (const { storagePath } of rows) {
      const path = join(storageRoot, storagePath);
      await (type === 'hg' ? hg(path, 'verify', '-q') : git(path, 'fsck', '--strict', '--full'));
    }
  }
}
