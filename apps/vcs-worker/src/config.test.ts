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
