import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { flag, text, wholeNumber } from '../args/schemas.ts';
import { defineMethod } from '../method.ts';
import { StorageRecord, storageUses } from '../records/storage.ts';

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
