import { describe, expect, it } from 'vitest';
import { readWorkerConfig } from './config.ts';

const env = {
  TRUNKLINE_DATABASE_URL: 'postgres://db',
  TRUNKLINE_NATS_URL: 'nats://bus',
  TRUNKLINE_SECRET: 's'.repeat(32),
  TRUNKLINE_STORAGE_ROOT: '/storage',
};

describe('TRUNKLINE_ADMIN_USER', () => {
  it.each(['admin', 'ada.l@host', 'Jürgen'])('may be %j', (name) => {
    expect(readWorkerConfig({ ...env, TRUNKLINE_ADMIN_USER: name }).TRUNKLINE_ADMIN_USER).toBe(name);
  });

  it.each(['a b', '-x', '007', 'new_user', 'x'.repeat(256), 'default', 'Default'])('must not be %j', (name) => {
    expect(() => readWorkerConfig({ ...env, TRUNKLINE_ADMIN_USER: name })).toThrow(/TRUNKLINE_ADMIN_USER/);
  });
});

describe('storages', () => {
  const read = (changed: Record<string, string>) =>
    readWorkerConfig({ ...env, TRUNKLINE_STORAGE_ROOT: '', ...changed }).storages;

  it('are those of TRUNKLINE_STORAGES, or the one of TRUNKLINE_STORAGE_ROOT', () => {
    const both = [
      { name: 'default', root: '/a=b' },
      { name: 'fast-2', root: '/c' },
    ];
    expect(read({ TRUNKLINE_STORAGES: 'default=/a=b, fast-2=/c' })).toEqual(both);
    expect(read({ TRUNKLINE_STORAGES: 'default=/a=b,fast-2=/c', TRUNKLINE_STORAGE_ROOT: '/a=b/' })).toEqual(both);
    expect(read({ TRUNKLINE_STORAGE_ROOT: '/a' })).toEqual([{ name: 'default', root: '/a' }]);
    expect(read({ TRUNKLINE_LANES: 'metadata', TRUNKLINE_STORAGES: 'default=/a' })).toEqual([]);
  });

  it.each([
    ['Upper=/a', /TRUNKLINE_STORAGES must have names of 1 to 32/],
    [`${'x'.repeat(33)}=/a`, /TRUNKLINE_STORAGES must have names of 1 to 32/],
    ['=/a', /TRUNKLINE_STORAGES must have names of 1 to 32/],
    ['/a', /TRUNKLINE_STORAGES must be a list of name=path/],
    ['one=', /TRUNKLINE_STORAGES must be a list of name=path/],
    ['one=/a,one=/b', /TRUNKLINE_STORAGES must name each storage once/],
    ['one=/a,two=/a/b', /TRUNKLINE_STORAGES must not have a path that is in another one/],
    ['one=/a/,two=/a', /TRUNKLINE_STORAGES must not have a path that is in another one/],
    [Array.from({ length: 33 }, (_, n) => `s${n}=/s${n}`).join(), /TRUNKLINE_STORAGES must not name more than 32/],
  ])('must not be %j', (storages, problem) => {
    expect(() => read({ TRUNKLINE_STORAGES: storages })).toThrow(problem);
  });

  it('must be given, must agree, and only storages of the worker can be new', () => {
    expect(() => read({})).toThrow('TRUNKLINE_STORAGE_ROOT must be set');
    expect(() => read({ TRUNKLINE_STORAGES: 'default=/a', TRUNKLINE_STORAGE_ROOT: '/b' })).toThrow(
      'TRUNKLINE_STORAGE_ROOT must be the path of `default`',
    );
    expect(() => read({ TRUNKLINE_STORAGES: 'default=/a', TRUNKLINE_STORAGE_CREATE: 'fast' })).toThrow(
      'TRUNKLINE_STORAGE_CREATE must only name storages of TRUNKLINE_STORAGES',
    );
  });
});
