import { setTimeout as wait } from 'node:timers/promises';
import postgres from 'postgres';

const heldMs = 20_000;
const pauseMs = 1_000;

/** Holds the rows of some repositories in a transaction, again and again. */
export async function heldRows({ databaseUrl, names }, signal, count) {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  while (!signal.aborted) {
    await sql.begin(async (tx) => {
      await tx`select 1 from repositories where name = any(${names}) for update`;
      await wait(heldMs, undefined, { signal }).catch(() => {});
    });
    count('transactions');
    await wait(pauseMs, undefined, { signal }).catch(() => {});
  }
  await sql.end();
}
