import { NotFoundError } from '@trunkline/contracts';
import { storages } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import { listStorages } from '../../storage/storage-list-store.ts';
import type { MethodHandler } from '../context.ts';

export const getStorages: MethodHandler<'get_storages'> = async (_args, { db }) => listStorages(db);

export const updateStorage: MethodHandler<'update_storage'> = async (
  { storage: name, state, weight, maintenance },
  { transact, wakeSweepers },
) => {
  const result = await transact(async ({ db, access }) => {
    // Absent arguments stay as they are: the row is written either way, which also locks it.
    const changes = {
      name,
      ...(state !== null && { state, drainedById: state === 'draining' ? access.user.id : null }),
      ...(weight !== null && { weight }),
      ...(maintenance !== null && { maintenance }),
    };
    await db.update(storages).set(changes).where(eq(storages.name, name));
    const [storage] = await listStorages(db, name);
    if (!storage) throw new NotFoundError(`storage \`${name}\` does not exist`);
    return { msg: `updated storage \`${name}\``, storage };
  });
  // A storage that is draining is drained by the holder of its lease, now.
  if (state === 'draining') wakeSweepers();
  return result;
};
