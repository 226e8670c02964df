import type { Db } from './database.ts';
import { mapRowsByPlan } from './map-rows.ts';

/**
 * Returns a function that builds a query once for each pool; each connection prepares the query once.
 * For a transaction the query is built anew, but still uses the prepared statement of the connection.
 */
export function prepared<Q>(build: (db: Db) => Q): (db: Db) => Q {
  const built = new WeakMap<Db, Q>();
  return (db) => {
    const known = built.get(db);
    if (known) return known;
    const query = mapRowsByPlan(build(db));
    built.set(db, query);
    return query;
  };
}
