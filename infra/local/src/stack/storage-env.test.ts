import { expect, it } from 'vitest';
import { storageEnvs, storagePaths } from './storage-env.ts';

const plan = { storageRoot: '/data/repositories', workers: 2 };

it('all workers have the storage of the data directory, unless the operator names storages', () => {
  const only = { TRUNKLINE_STORAGE_ROOT: '/data/repositories' };
  expect(storageEnvs({ ...plan, passedOn: {} })).toEqual([only, only]);
  expect(storageEnvs({ ...plan, passedOn: { TRUNKLINE_STORAGES: '' } })).toEqual([only, only]);
});

it('each storage has a worker of its own, and further workers serve the storages in turn', () => {
  const passedOn = { TRUNKLINE_STORAGES: 'default=/a, fast=/b', TRUNKLINE_STORAGE_CREATE: 'fast' };
  const beside = { TRUNKLINE_COPY_STORAGES: 'default=/a,fast=/b' };
  const first = { TRUNKLINE_STORAGES: 'default=/a', TRUNKLINE_STORAGE_CREATE: '', ...beside };
  const second = { TRUNKLINE_STORAGES: 'fast=/b', TRUNKLINE_STORAGE_CREATE: 'fast', ...beside };
  expect(storageEnvs({ ...plan, workers: 1, passedOn })).toEqual([first, second]);
  expect(storageEnvs({ ...plan, workers: 3, passedOn })).toEqual([first, second, first]);
  const [sent] = storageEnvs({ ...plan, passedOn: { ...passedOn, TRUNKLINE_COPY_STORAGES: '' } });
  expect(sent).toEqual({ ...first, TRUNKLINE_COPY_STORAGES: '' });
});

it('stack.json names the storages that the workers serve, with their directories', () => {
  expect(storagePaths({ ...plan, passedOn: {} })).toEqual({ default: '/data/repositories' });
  const passedOn = { TRUNKLINE_STORAGES: 'default=/a, fast=/b=c' };
  expect(storagePaths({ ...plan, passedOn })).toEqual({ default: '/a', fast: '/b=c' });
});
