import type { Lane } from '@trunkline/contracts';
import type postgres from 'postgres';
import type { StorageRoute } from '../../apps/gateway/src/dispatch/storage-route.ts';

/** Returns the name of the storage whose workers are to run a call: that of its repository, else the first one. */
async function storageFor(sql: postgres.Sql, args: unknown): Promise<string> {
  const given = typeof args === 'object' && args !== null && 'repoid' in args ? args.repoid : '';
  // Fuzzing also sends objects that no text can be made of, and characters that no text in Postgres has.
  const repoid = typeof given === 'string' || typeof given === 'number' ? String(given).replaceAll('\0', '') : '';
  const [row] = await sql<{ name: string }[]>`
    select s.name from storages s
    left join repositories r on r.storage_id = s.id and (r.name = ${repoid} or r.id::text = ${repoid})
    order by (r.id is null), s.name limit 1`;
  return row?.name ?? 'default';
}

/** Returns the storage that the subject of a call names; null in the lane `metadata`. */
export async function storageInSubject(sql: postgres.Sql, lane: Lane, args: unknown): Promise<string | null> {
  return lane === 'metadata' ? null : storageFor(sql, args);
}

/** Returns the route of a call to the one storage that `storageFor` finds. */
export function routeFor(sql: postgres.Sql, args: unknown): StorageRoute {
  const none = async () => null;
  return { first: () => storageFor(sql, args), afterWrongStorage: none, afterUnserved: none, afterNotFound: () => {} };
}
