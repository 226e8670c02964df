import postgres from 'postgres';

/** Counts the users with a password hash of ours, and those with one of another program. */
export async function hashKinds(databaseUrl: string): Promise<Readonly<Record<string, number>>> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    const rows = await sql<{ kind: string; count: number }[]>`
      select case when password_hash like '$argon2%' then 'ours' else 'foreign' end as kind, count(*)::int as count
      from users where password_hash is not null group by 1`;
    return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
  } finally {
    await sql.end();
  }
}
