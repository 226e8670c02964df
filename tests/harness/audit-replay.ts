import { levels } from '@trunkline/contracts';
import type { Sql } from 'postgres';
import * as v from 'valibot';

const Entry = v.object({
  method: v.string(),
  repositoryId: v.nullable(v.number()),
  args: v.object({
    repo_name: v.optional(v.nullable(v.string())),
    fork_name: v.optional(v.nullable(v.string())),
    name: v.optional(v.nullable(v.string())),
    group: v.optional(v.nullable(v.string())),
    userid: v.optional(v.nullable(v.string())),
    perm: v.optional(v.nullable(v.string())),
  }),
});
type Entry = v.InferOutput<typeof Entry>;

const permissionOf = new Map<number, string>(
  Object.entries(levels).map(([name, level]) => [level, `repository.${name}`]),
);

/** The names of repositories and the levels of users that result from repeating the calls of the audit log in order. */
class Replay {
  readonly names = new Map<number, string>();
  /** Levels by id of the repository and name of the user; null when the level was revoked. */
  readonly levels = new Map<string, string | null>();

  take({ method, repositoryId: id, args }: Entry): void {
    if (id === null) return;
    const about = `${id} ${args.userid}`;
    if (method === 'create_repo' || method === 'fork_repo') this.names.set(id, args.repo_name ?? args.fork_name ?? '');
    else if (method === 'update_repo') this.rename(id, args);
    else if (method === 'delete_repo') this.names.delete(id);
    else if (method === 'grant_user_permission') this.levels.set(about, args.perm ?? null);
    else if (method === 'revoke_user_permission') this.levels.set(about, null);
  }

  private rename(id: number, { name, group }: Entry['args']): void {
    const current = this.names.get(id) ?? '';
    const last = current.split('/').at(-1) ?? '';
    const above = group ? `${group}/` : current.slice(0, current.length - last.length);
    this.names.set(id, `${above}${name || last}`);
  }
}

async function levelsIn(sql: Sql): Promise<Map<string, string>> {
  const rows = await sql<{ about: string; level: number }[]>`
    select p.repository_id || ' ' || u.username as about, p.level
      from user_repository_permissions p join users u on u.id = p.user_id`;
  return new Map(rows.map(({ about, level }) => [about, permissionOf.get(level) ?? String(level)]));
}

/**
 * Compares the repositories and the levels of users in the database with the result of the audit log's succeeded calls;
 * returns one text for each difference. Calls that change groups are not repeated.
 */
export async function findAuditGaps(sql: Sql): Promise<string[]> {
  const replay = new Replay();
  const entries = await sql`
    select method, repository_id as "repositoryId", args from audit_log where outcome = 'succeeded' order by id`;
  for (const entry of entries) replay.take(v.parse(Entry, entry));
  // Includes forks that were deleted together with the repository they were forked from.
  const deleted = await sql<{ id: number }[]>`
    select repository_id as id from operations where kind = 'delete' and state = 'done'`;
  for (const { id } of deleted) replay.names.delete(id);

  const rows = await sql<{ id: number; name: string }[]>`select id, name from repositories`;
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  const found = await levelsIn(sql);
  const compared = [...new Set([...names.keys(), ...replay.names.keys()])];
  const granted = [...replay.levels].filter(([about]) => names.has(Number(about.split(' ')[0])));
  return [
    ...compared
      .filter((id) => names.get(id) !== replay.names.get(id))
      .map((id) => `repository ${id} is ${names.get(id)}, by the audit log ${replay.names.get(id)}`),
    ...granted
      .filter(([about, level]) => (found.get(about) ?? null) !== level)
      .map(([about, level]) => `the level of ${about} is ${found.get(about)}, by the audit log ${level}`),
  ];
}

export interface SentCall {
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** True when the client received a success, false when no answer. */
  readonly acknowledged: boolean;
}

const keyOf = (method: string, args: Readonly<Record<string, unknown>>) =>
  `${method} ${JSON.stringify(Object.entries(args).toSorted(([a], [b]) => (a < b ? -1 : 1)))}`;

/** Returns the calls for which the audit log has fewer successes than clients received, or more than were possible. */
export async function findMiscounted(sql: Sql, calls: readonly SentCall[]): Promise<string[]> {
  const counts = new Map<string, { acknowledged: number; unknown: number; recorded: number }>();
  const countOf = (key: string) => {
    const count = counts.get(key) ?? { acknowledged: 0, unknown: 0, recorded: 0 };
    counts.set(key, count);
    return count;
  };
  for (const { method, args, acknowledged } of calls)
    countOf(keyOf(method, args))[acknowledged ? 'acknowledged' : 'unknown'] += 1;
  const rows = await sql<{ method: string; args: Record<string, unknown> }[]>`
    select method, args from audit_log where outcome = 'succeeded'`;
  // What a pull has made of references is recorded beside its arguments.
  for (const {
    method,
    args: { pulled: _, ...args },
  } of rows) {
    const count = counts.get(keyOf(method, args));
    if (count) count.recorded += 1;
  }
  return [...counts]
    .filter(([, { acknowledged, unknown, recorded }]) => recorded < acknowledged || recorded > acknowledged + unknown)
    .map(([key, count]) => `${key}: ${JSON.stringify(count)}`);
}
