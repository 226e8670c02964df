import { type Db, preparedRows, repositories, users } from '@trunkline/db';
import { levels } from '@trunkline/contracts';
import { sql, type SQL, type SQLWrapper } from 'drizzle-orm';
import { defaultUserId } from '../../authz/effective-level.ts';
import { after, candidatesMax, count, heldBy, type IdPage, spareCandidates } from './readable-page-store.ts';
import { listedChangeset, listedMessageCharsMax, owners, type RepositoryRow, sourceName } from './repository-store.ts';

const userId = sql`${sql.placeholder('userId')}::int`;
const limit = sql`${sql.placeholder('limit')}::int`;
const charsMax = sql`${sql.placeholder('charsMax')}::int`;

/** What a level comes from, by what counts more; that of everybody has rank 0, and levels are below 16. */
const ranks = { userGroup: sql.raw('16'), own: sql.raw('32'), owner: sql.raw('48') } as const;
const highest = sql`${ranks.owner} + ${sql.raw(String(levels.admin))}`;

const isAdmin = sql`(select admin from users where id = ${userId})`;
const held = (column: SQL, holder: SQL) => sql`not ${isAdmin} and ${heldBy(column, sql`repository_id`, holder)}`;

/**
 * The first `count` repositories after `after` on which the user has a row or is the owner, or all for an administrator, by
 * id, with the highest rank. It is the rule of `effectiveLevel`, but for private repositories, in one pass over the rows
 * of the user in the order of indexes: looking each repository up costs twice as much. Own rows and those of groups
 * count also with level none.
 */
const rankedRepositories = sql`
  select id, max(rank) as rank from (
    (select id, ${highest} as rank from repositories
      where state = 'ready' and id > ${after} and ${isAdmin} order by id limit ${count})
    union all (select id, ${highest} from repositories
      where not ${isAdmin} and ${heldBy(sql`owner_id`, sql`id`, userId)})
    union all (select repository_id, ${ranks.own} + level from user_repository_permissions
      where user_id <> ${defaultUserId} and ${held(sql`user_id`, userId)})
    union all (select repository_id, level from user_repository_permissions
      where level > 0 and ${held(sql`user_id`, defaultUserId)})
    union all (select of_group.repository_id, ${ranks.userGroup} + of_group.level from user_group_members member
      join user_groups on user_groups.id = member.user_group_id and user_groups.active
      cross join lateral (select repository_id, level from user_group_repository_permissions
        where ${held(sql`user_group_id`, sql`member.user_group_id`)}) of_group
      where member.user_id = ${userId})
  ) rights group by id order by id limit ${count}`;

const isReadable = sql`(ranked.rank >= ${ranks.userGroup} or not ${repositories.private})
  and ranked.rank % 16 >= ${sql.raw(String(levels.read))}`;

/** The bits of the flags of a repository. */
const bits = { isHg: 1, private: 2, enableDownloads: 4, enableLocking: 8, enableStatistics: 16 } as const;
const { enableDownloads, enableLocking, enableStatistics } = repositories;
const bit = (name: keyof typeof bits, flag: SQLWrapper) => sql`(${flag})::int * ${sql.raw(String(bits[name]))}`;
const flags = sql.join(
  [
    bit('isHg', sql`${repositories.type} = 'hg'`),
    bit('private', repositories.private),
    bit('enableDownloads', enableDownloads),
    bit('enableLocking', enableLocking),
    bit('enableStatistics', enableStatistics),
  ],
  sql` + `,
);

/**
 * The columns of a row. The driver takes the longer the more values a row has that are not null, so that those without a
 * comma, and the name as the last one, are one text. Only administrators are given sealed URLs.
 */
const columnsOf = (db: Db) => ({
  head: sql`concat_ws(',', ${repositories.id}, ${flags}, ${repositories.createdAt} at time zone 'UTC',
    ${owners.username}, ${repositories.name})`,
  cloneUri: sql`${repositories.cloneUri}`,
  cloneUriSealed: sql`case when ${isAdmin} then ${repositories.cloneUriSealed} end`,
  description: sql`${repositories.description}`,
  landingRev: sql`${repositories.landingRev}`,
  lastChangeset: listedChangeset(listedMessageCharsMax),
  forkOf: sourceName(db),
});

type Values = readonly [
  head: string | null,
  cloneUri: RepositoryRow['cloneUri'],
  cloneUriSealed: RepositoryRow['cloneUriSealed'],
  description: string,
  landingRev: string,
  lastChangeset: RepositoryRow['lastChangeset'],
  forkOf: RepositoryRow['forkOf'],
  next: number | null,
];

/** A row of a list, whose time of creation is a time stamp already. */
export type ReadableRow = Omit<RepositoryRow, 'createdAt'> & { readonly createdAt: string };

/** Returns the time stamp of a text of Postgres, such as `2026-11-29 18:55:55.12`; reading it as a date takes ten times as long. */
export function timestampOf(text: string): string {
  const milliseconds = text.slice(20, 23).padEnd(3, '0');
  return `${text.slice(0, 10)}T${text.slice(11, 19)}${milliseconds === '000' ? '' : `.${milliseconds}`}`;
}

/** Makes a row of its values; one without a repository tells `next` alone. */
function toRow(values: readonly unknown[]) {
  const [head, cloneUri, cloneUriSealed, description, landingRev, lastChangeset, forkOf, next] =
    values as unknown as Values;
  if (head === null) return { repository: null, next };
  // Splitting the text takes three times as long.
  const idEnd = head.indexOf(',');
  const flagsEnd = head.indexOf(',', idEnd + 1);
  const createdEnd = head.indexOf(',', flagsEnd + 1);
  const ownerEnd = head.indexOf(',', createdEnd + 1);
  const flagBits = Number(head.slice(idEnd + 1, flagsEnd));
  const has = (flag: keyof typeof bits) => (flagBits & bits[flag]) !== 0;
  const repository: ReadableRow = {
    id: Number(head.slice(0, idEnd)),
    name: head.slice(ownerEnd + 1),
    type: has('isHg') ? 'hg' : 'git',
    cloneUri,
    cloneUriSealed,
    private: has('private'),
    createdAt: timestampOf(head.slice(flagsEnd + 1, createdEnd)),
    description,
    landingRev,
    owner: head.slice(createdEnd + 1, ownerEnd),
    forkOf,
    enableDownloads: has('enableDownloads'),
    enableLocking: has('enableLocking'),
    enableStatistics: has('enableStatistics'),
    lastChangeset,
  };
  return { repository, next };
}

/** Characters of the texts of a row that can make it large. */
const charsOfRow = sql`char_length(description) + coalesce(char_length("lastChangeset"->>'message'), 0)
  + coalesce(char_length("cloneUri"), 0) + coalesce(octet_length("cloneUriSealed"), 0)`;

/**
 * The first `limit` of these repositories that the user may read, until their texts have `charsMax`, with rights of the same
 * snapshot, in any order. Where a page ends is looked for only when the texts of all have that many: adding them up row by
 * row would copy each row. Each row has the id after which there may be more, null at the end; without a repository there
 * is one row with nothing else.
 */
const readableRepositories = preparedRows((db) => {
  const columns = Object.entries(columnsOf(db));
  const named = columns.map(([name, column]) => sql`${column} as ${sql.identifier(name)}`);
  const ofPage = columns.map(([name]) => sql`shown.${sql.identifier(name)}`);
  return sql`
    with ranked as materialized (${rankedRepositories}),
    shown as materialized (
      select ${repositories.id}, ${sql.join(named, sql`, `)}
      from ranked
      join ${repositories} on ${repositories.id} = ranked.id and ${repositories.state} = 'ready'
      join ${users} ${sql.identifier('owners')} on ${owners.id} = ${repositories.ownerId}
      where ${isReadable} order by ${repositories.id} limit ${limit}
    )
    select ${sql.join(ofPage, sql`, `)}, batch.next
    from (select case when count(*) >= ${count} then max(id) end as next from ranked) batch
    left join shown on (select sum(${charsOfRow}) from shown) < ${charsMax} or shown.id <= (
      select max(id) from (
        select id, coalesce(sum(${charsOfRow}) over (
          order by id rows between unbounded preceding and 1 preceding), 0) as before from shown
      ) measured where before < ${charsMax})`;
}, toRow);

/** The same as `charsOfRow`, or a few more: some characters of Postgres are two of JavaScript. */
function charsOf({ description, lastChangeset, cloneUri, cloneUriSealed }: ReadableRow): number {
  const message = lastChangeset?.message.length ?? 0;
  return description.length + message + (cloneUri?.length ?? 0) + (cloneUriSealed?.length ?? 0);
}

interface ReadablePage {
  readonly rows: readonly ReadableRow[];
  readonly isEnd: boolean;
}

/**
 * Lists the repositories that a user may read in order of id: `limit` of them after `cursor`, or fewer whose texts have about
 * `charsMax`. The rights are read in the statement that reads the rows.
 */
export async function listReadable(
  db: Db,
  userId: number,
  { limit, cursor }: IdPage,
  charsMax: number,
): Promise<ReadablePage> {
  const rows: ReadableRow[] = [];
  let chars = 0;
  let last = cursor ?? 0;
  // One row more shows whether the list goes on; of the others some may turn out to be hidden.
  for (let size = limit + 1 + spareCandidates; ; size = Math.min(2 * size, candidatesMax)) {
    const asked = { userId, after: last, count: size, limit: limit + 1 - rows.length, charsMax: charsMax - chars };
    const found = await readableRepositories(db).execute(asked);
    for (const { repository } of found) {
      if (!repository) continue;
      rows.push(repository);
      chars += charsOf(repository);
    }
    // They come in order as Postgres reads them, so that this costs next to nothing; there it would be a copy of each row.
    rows.sort((a, b) => a.id - b.id);
    if (rows.length > limit) return { rows: rows.slice(0, limit), isEnd: false };
    // Where JavaScript counts fewer characters, Postgres has not cut the page.
    if (chars >= charsMax) return { rows, isEnd: false };
    const next = found[0]?.next ?? null;
    if (next === null) return { rows, isEnd: true };
    last = next;
  }
}
