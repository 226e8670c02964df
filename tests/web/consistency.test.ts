import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cluster, sql, uniqueName } from '../harness/shared-cluster.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

const path = '/_admin/consistency';

it('inconsistencies are listed, and repaired where that is safe', async () => {
  const { web } = await makeVisitor({ admin: true });
  const name = uniqueName('nobody');
  const entry = `@trash/<b>${randomUUID()}`;
  await mkdir(join(cluster.storageRoot, entry));
  await sql`insert into names (path, kind) values (${name}, 'group')`;

  const before = (await web.get(path)).text;
  expect(before).toContain(name);
  expect(before).toContain('A repair frees the name.');
  expect(before).toContain(entry.replace('<b>', '&lt;b&gt;'));
  expect(await sql`select 1 from names where path = ${name}`).toHaveLength(1);

  const sent = await web.submit(path, path, {});
  expect([sent.status, sent.headers.get('location')]).toEqual([303, path]);
  const after = (await web.get(path)).text;
  expect(after).toMatch(/Repaired [1-9]\d* of \d+/);
  expect(after).not.toContain(name);
  expect(after).toContain(entry.replace('<b>', '&lt;b&gt;'));
  expect(await sql`select 1 from names where path = ${name}`).toHaveLength(0);
  await rm(join(cluster.storageRoot, entry), { recursive: true });
});
