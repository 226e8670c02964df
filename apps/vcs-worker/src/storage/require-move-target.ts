import { ConflictError, InvalidArgsError } from '@trunkline/contracts';
import { storages, type Db } from '@trunkline/db';
import { eq } from 'drizzle-orm';

export interface MoveTarget {
  readonly id: string;
  readonly name: string;
}

/** What is to be moved: its storage, and its size, null while that is unknown. */
interface Moved {
  readonly storageId: string;
  readonly bytes: number | null;
}

/** Returns the storage with this name; throws the client's error when repositories cannot be moved there. */
export async function requireMoveTarget(db: Db, name: string, { storageId, bytes }: Moved): Promise<MoveTarget> {
  const columns = { id: storages.id, name: storages.name, state: storages.state, freeBytes: storages.freeBytes };
  const [target] = await db.select(columns).from(storages).where(eq(storages.name, name));
  if (!target) throw new InvalidArgsError(`Invalid value for \`storage\`: no storage has the name \`${name}\``);
  if (target.id === storageId) {
    throw new InvalidArgsError(`Invalid value for \`storage\`: the repository is on storage \`${name}\` already`);
  }
  if (target.state !== 'active') throw new ConflictError(`Storage \`${name}\` is ${target.state}`);
  if (bytes !== null && target.freeBytes !== null && bytes > target.freeBytes) {
    throw new ConflictError(`Storage \`${name}\` has not enough free space: ${bytes} bytes are needed`);
  }
  return target;
}
