import { randomUUID } from 'node:crypto';
import { migrate } from '@trunkline/db';
import { createDatabase } from '@trunkline/local';
import postgres from 'postgres';
import { expect, inject, it } from 'vitest';
import { createFormerSchema, listMigrations } from '../harness/former-schema.ts';

/** The first migration of the release in which storages have names. */
const first = '0010_named_storages';

it('the storage of an instance becomes `default`, and its running operations name it', async () => {
  const url = await createDatabase(inject('postgresUrl'), `test_${randomUUID().replaceAll('-', '').slice(0, 12)}`);
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const all = await listMigrations();
    const former = all.slice(
      0,
      all.findIndex(({ tag }) => tag === first),
    );
    await createFormerSchema(sql, former);
    const [storage, operation] = [randomUUID(), randomUUID()];
    await sql`insert into storages (id) values (${storage})`;
    await sql`insert into users (username, username_key, firstname, lastname, active, admin)
      values ('ann', 'ann', 'Ann', 'Example', true, true)`;
    await sql`insert into names (path, kind) values ('team', 'repository')`;
    await sql`insert into repositories (uuid, name, type, state, storage_id, storage_path, private, description,
        owner_id, landing_rev, enable_downloads, enable_locking, enable_statistics)
      select gen_random_uuid(), 'team', 'git', 'ready', ${storage}, '@repos/00/x', false, '', id, 'tip', false, false, false
        from users`;
    await sql`insert into operations (id, kind, repository_id, request, state)
      select ${operation}, 'pull', id, '{}', 'running' from repositories`;

    await migrate(url);
    expect(await sql`select id, name, state from storages`).toEqual([
      { id: storage, name: 'default', state: 'active' },
    ]);
    expect(await sql`select id, storage_id from operations`).toEqual([{ id: operation, storage_id: storage }]);
    expect(await sql`select epoch::int, size_bytes from repositories`).toEqual([{ epoch: 1, size_bytes: null }]);
  } finally {
    await sql.end();
  }
});
