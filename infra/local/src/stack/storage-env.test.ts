import { expect, it } from 'vitest';
import { storageEnv } from './storage-env.ts';

it('workers have the storage of the data directory, unless the operator names storages', () => {
  const only = { TRUNKLINE_STORAGE_ROOT: '/data/repositories' };
  expect(storageEnv({ storageRoot: '/data/repositories', passedOn: {} })).toEqual(only);
  expect(storageEnv({ storageRoot: '/data/repositories', passedOn: { TRUNKLINE_STORAGES: '' } })).toEqual(only);
  const passedOn = { TRUNKLINE_STORAGES: 'default=/data/repositories,fast=/fast' };
  expect(storageEnv({ storageRoot: '/data/repositories', passedOn })).toEqual({});
});
