import type { Db } from './database.ts';

/**
 * A query that is built once for each pool and prepared on each of its connections;
 * inside a transaction it is built anew and still finds the prepared statement.
 */
export function prepared<Q>(build: (db: Db) => Q): (db: Db) => Q {
  const built = new WeakMap<Db, Q>();
  return (db) => {
    const known = built.get(db);
    if (known) return known;
    const query = build(db);
    built.set(db, query);
    return query;
  };
}
