import { describe, expect, it } from 'vitest';
import { childEnvironment, localConfigEntries, readLocalConfig } from './config.ts';

describe('readLocalConfig', () => {
  it('has a default for everything', () => {
    expect(readLocalConfig({})).toEqual({
      dataDir: null,
      port: 5000,
      portIsSet: false,
      metricsPort: null,
      gateways: 1,
      workers: 2,
      secret: null,
      oldSecrets: [],
      adminUser: 'admin',
      adminPassword: null,
      adminApiKey: null,
      databaseUrl: null,
      migrateUrl: null,
      natsUrl: null,
      passedOn: {},
      startedByNpm: false,
    });
  });

  it('distinguishes a port that was set from the default', () => {
    expect(readLocalConfig({ TRUNKLINE_PORT: '5000' })).toMatchObject({ port: 5000, portIsSet: true });
    expect(readLocalConfig({ TRUNKLINE_PORT: '' })).toMatchObject({ port: 5000, portIsSet: false });
  });

  it.each([
    ['TRUNKLINE_PORT', '65536'],
    ['TRUNKLINE_METRICS_PORT', '65536'],
    ['TRUNKLINE_GATEWAYS', '0'],
    ['TRUNKLINE_WORKERS', 'two'],
    ['TRUNKLINE_SECRET', 'short'],
    ['TRUNKLINE_ADMIN_API_KEY', 'A'.repeat(40)],
  ])('names %s in the error for %s', (name, value) => {
    expect(() => readLocalConfig({ [name]: value })).toThrow(name);
  });

  it('passes on variables that only the apps read', () => {
    const { passedOn } = readLocalConfig({
      TRUNKLINE_ALLOWED_REMOTES: '10.0.0.0/8',
      TRUNKLINE_WORKERS: '3',
      HOME: '/',
    });
    expect(passedOn).toEqual({ TRUNKLINE_ALLOWED_REMOTES: '10.0.0.0/8' });
  });
});

describe('localConfigEntries', () => {
  it('describes every variable', () => {
    for (const { description } of Object.values(localConfigEntries)) expect(description).toMatch(/^[A-Z].+\.$/);
  });
});

describe('childEnvironment', () => {
  it('leaves out secrets and variables of npm', () => {
    const env = { PATH: '/bin', TRUNKLINE_ADMIN_PASSWORD: 'x', npm_lifecycle_event: 'start', TRUNKLINE_DATA_DIR: '/d' };
    expect(childEnvironment(env)).toEqual({ PATH: '/bin', TRUNKLINE_DATA_DIR: '/d' });
  });
});
