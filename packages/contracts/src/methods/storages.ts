import * as v from 'valibot';
import { timestamp } from '../records/parts.ts';
import { optional, required } from '../args/arg.ts';
import { flag, text, wholeNumber } from '../args/schemas.ts';
import { defineMethod } from '../method.ts';

/**
 * What a storage takes: `draining` no new repositories, `read-only` no writes, `offline` and `lost` nothing. The bytes of
 * a lost storage are gone.
 */
const storageUses = ['active', 'draining', 'read-only', 'offline', 'lost'] as const;

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

const weightMax = 10_000;
const stateNames = storageUses.map((state) => `\`${state}\``).join(', ');

export const getStorages = defineMethod({
  name: 'get_storages',
  summary: 'Lists the storages by name, with their state, sizes and repositories.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'read',
  args: {},
  result: v.array(StorageRecord),
});

export const updateStorage = defineMethod({
  name: 'update_storage',
  summary: 'Changes what a storage takes; absent arguments change nothing.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'write',
  args: {
    storage: required(text(255), 'Name of the storage'),
    state: optional(
      v.nullable(v.picklist(storageUses, `must be one of ${stateNames}`)),
      null,
      '`active`; `draining`: no new repositories, and its own are moved to active storages; `read-only`: no writes; `offline`: its workers are away; `lost`: its bytes are gone',
      'unchanged',
    ),
    weight: optional(
      v.nullable(wholeNumber(0, weightMax)),
      null,
      `Share of new repositories, from 0 (none) to ${weightMax}`,
      'unchanged',
    ),
    maintenance: optional(
      flag,
      null,
      'Whether its repositories are maintained when it is time; a maintenance that runs goes on',
      'unchanged',
    ),
  },
  result: v.strictObject({ msg: v.string(), storage: StorageRecord }),
});
