import postgres from 'postgres';
import { databaseAway, readOnly, type DatabaseAway } from './pg-error.ts';

const everyMs = 5_000;
const lookMsMax = 5_000;

interface ServerWatch {
  readonly url: string;
  /** Name of the connections by which the watch looks. */
  readonly name: string;
  /** The pools whose connections the watch gives up. */
  readonly clients: readonly postgres.Sql[];
  /** Takes a sentence for the log when the database goes away, and when it is back. */
  readonly say?: (text: string) => void;
}

/** Asks by a new connection which server answers, and whether it is a standby or refuses changes otherwise. */
async function readServer({ url, name }: ServerWatch): Promise<{ started: string; isReadOnly: boolean }> {
  const connection = { application_name: name };
  const client = postgres(url, { max: 1, connect_timeout: 5, fetch_types: false, onnotice: () => {}, connection });
  const late = setTimeout(() => void client.end({ timeout: 0 }), lookMsMax);
  try {
    const [row] = await client<{ started: string; isReadOnly: boolean }[]>`
      select extract(epoch from pg_postmaster_start_time())::text as started,
        current_setting('transaction_read_only')::bool as "isReadOnly"`.simple();
    if (!row) throw new Error('the database server has not answered');
    return row;
  } finally {
    clearTimeout(late);
    await client.end({ timeout: 1 });
  }
}

/** Ends each open connection as soon as nothing runs on it; further queries open new ones. */
function giveUp(clients: readonly postgres.Sql[]): void {
  for (const client of clients) {
    // The driver's types leave this function out.
    if ('close' in client && typeof client.close === 'function') void client.close();
  }
}

/**
 * Gives connections up when their server stops, or when another server answers at its address. A server that waits for its
 * clients to go tells only new connections, so the watch opens one every few seconds. Returns the end of the watch.
 */
export function watchServer(watch: ServerWatch): () => void {
  let server: string | undefined;
  let away: DatabaseAway | undefined;
  const look = async () => {
    let now: DatabaseAway | undefined;
    try {
      const { started, isReadOnly } = await readServer(watch);
      if (isReadOnly) now = readOnly;
      if (server !== undefined && server !== started) giveUp(watch.clients);
      server = started;
    } catch (error) {
      now = databaseAway(error) ?? away;
      if (now?.isTold === true) giveUp(watch.clients);
    }
    if (now?.state !== away?.state) watch.say?.(now ? `the database ${now.state}` : 'the database is back');
    away = now;
  };
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const lookOn = async () => {
    await look();
    if (!isOver) timer = setTimeout(() => void lookOn(), everyMs).unref();
  };
  void lookOn();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
