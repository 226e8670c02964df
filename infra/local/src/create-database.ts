import postgres from 'postgres';

/** Creates a database unless it exists; returns its URL. */
export async function createDatabase(adminUrl: string, name: string): Promise<string> {
  const client = postgres(adminUrl, { max: 1, connect_timeout: 10, onnotice: () => {} });
  try {
    const [found] = await client`select 1 from pg_database where datname = ${name}`;
    if (found === undefined) await client`create database ${client(name)}`;
  } finally {
    await client.end({ timeout: 5 });
  }
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}
