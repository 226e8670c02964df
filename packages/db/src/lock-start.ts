import postgres from 'postgres';
import { hasNoConnectionLeft } from './pg-error.ts';

/** Key of the advisory lock that a process holds while it migrates, or prepares what others use. */
const lockKey = 7_236_401;

/** A connection to the database, without prepared statements. */
export type Connection = postgres.Sql;

/** Runs `act` with a connection of its own; an error says so when the server has no connection left. */
export async function withConnection<T>(url: string, act: (client: postgres.Sql) => Promise<T>): Promise<T> {
  // Without an end of its own: locks of the session may be held for hours.
  const client = postgres(url, { max: 1, connect_timeout: 10, max_lifetime: null, onnotice: () => {} });
  try {
    return await act(client);
  } catch (error) {
    if (!hasNoConnectionLeft(error)) throw error;
    const text = 'Postgres has no connection left: raise its max_connections (docs/running/postgres.md)';
    throw new Error(text, { cause: error });
  } finally {
    await client.end({ timeout: 5 });
  }
}

/** Has the session of a connection be the only one of the instance that migrates or prepares; may be called again. */
export async function lockStart(client: postgres.Sql): Promise<void> {
  await client`select pg_advisory_lock(${lockKey})`;
}

/** Runs `act` while no other process of the instance migrates or prepares; waits for those without a time limit. */
export async function whileOthersWait<T>(url: string, act: (client: postgres.Sql) => Promise<T>): Promise<T> {
  return withConnection(url, async (client) => {
    await lockStart(client);
    return act(client);
  });
}
