import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stage } from './crash-case.ts';

/** Makes directories in the storage as a dead worker leaves them, which a sweep removes. */
export async function leaveBehind({ cluster }: Stage, entries: readonly string[]): Promise<void> {
  for (const entry of entries) {
    await mkdir(join(cluster.storageRoot, entry, 'deep'), { recursive: true });
    await writeFile(join(cluster.storageRoot, entry, 'deep/file'), '');
  }
}

/** Makes a tree in the storage, and the row of a copy that a sweep removes together with it. */
export async function leaveCopy({ cluster, sql }: Stage, role: 'leaving' | 'arriving'): Promise<void> {
  const [operation, uuid] = [randomUUID(), randomUUID()];
  const path = `@repos/${uuid.slice(0, 2)}/${uuid}.2`;
  await sql`insert into operations (id, kind, repository_id, request, state, finished_at)
    values (${operation}, 'move', 0, '{}', 'done', now())`;
  await sql`insert into repository_copies (storage_id, storage_path, repository_id, role, operation_id, epoch, created_at)
    select id, ${path}, 0, ${role}, ${operation}, 2, now() - interval '1 day' from storages where name = 'default'`;
  await mkdir(join(cluster.storageRoot, path, 'deep'), { recursive: true });
}
