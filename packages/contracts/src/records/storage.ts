import * as v from 'valibot';
import { timestamp } from './timestamp.ts';

/**
 * What a storage takes: `draining` no new repositories, `read-only` no writes, `offline` and `lost` nothing. The bytes of
 * a lost storage are gone.
 */
export const storageUses = ['active', 'draining', 'read-only', 'offline', 'lost'] as const;

export const StorageRecord = v.strictObject({
  name: v.string(),
  state: v.picklist(storageUses),
  /** Share of new repositories, beside the free space. */
  weight: v.number(),
  /** Whether its repositories are maintained when it is time. */
  maintenance: v.boolean(),
  /** Sizes of the file system as its workers last found them; null where they are unknown. */
  capacity_bytes: v.nullable(v.number()),
  free_bytes: v.nullable(v.number()),
  /** Time at which a worker last found the storage in order. */
  seen_at: v.nullable(timestamp),
  repositories: v.number(),
  /** Bytes of its repositories, as far as they are known. */
  repository_bytes: v.number(),
  /** Repositories that are being moved away from it now. */
  moving: v.number(),
});
export type StorageRecord = v.InferOutput<typeof StorageRecord>;
