import type { Executor } from './database.ts';

/**
 * A query that is built once for each pool and prepared on each of its connections;
 * inside a transaction it is built anew and still finds the prepared statement.
 */
export function prepared<Q>(build: (executor: Executor) => Q): (executor: Executor) => Q {
  const built = new WeakMap<Executor, Q>();
  return (executor) => {
    const known = built.get(executor);
    if (known) return known;
    const query = build(executor);
    built.set(executor, query);
    return query;
  };
}
