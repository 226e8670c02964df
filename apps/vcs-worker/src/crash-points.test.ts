import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readWorkerConfig } from './config.ts';
import { crashPoints } from './crash-points.ts';

const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
  .join('\n');

describe('crashPoints', () => {
  it('C6 each is passed at exactly one line of the code', () => {
    const standing = Array.from(sources.matchAll(/\bcrashPoint\('([^']+)'\)/g), ([, name]) => name);
    expect(new Set(standing)).toEqual(new Set(crashPoints));
    expect(standing).toHaveLength(crashPoints.length);
  });
});

describe('TRUNKLINE_CRASH_AT', () => {
  const env = {
    TRUNKLINE_DATABASE_URL: 'postgres://localhost/x',
    TRUNKLINE_NATS_URL: 'nats://localhost',
    TRUNKLINE_SECRET: 'x'.repeat(32),
    TRUNKLINE_STORAGE_ROOT: '/tmp',
  };

  it('arms no point when it is not set', () => {
    expect(readWorkerConfig(env).crashPoint).toBeNull();
  });

  it('arms a point when NODE_ENV is test', () => {
    const armed = { ...env, NODE_ENV: 'test', TRUNKLINE_CRASH_AT: 'end.changed' };
    expect(readWorkerConfig(armed).crashPoint).toEqual({ name: 'end.changed', signal: 'SIGKILL' });
  });

  it.each([undefined, '', 'production', 'development'])('is refused where NODE_ENV is %s', (NODE_ENV) => {
    const armed = { ...env, TRUNKLINE_CRASH_AT: 'end.changed', ...(NODE_ENV === undefined ? {} : { NODE_ENV }) };
    expect(() => readWorkerConfig(armed)).toThrow('TRUNKLINE_CRASH_AT must not be set unless NODE_ENV is test');
  });

  it('is refused when it names no point', () => {
    const armed = { ...env, NODE_ENV: 'test', TRUNKLINE_CRASH_AT: 'end.nowhere' };
    expect(() => readWorkerConfig(armed)).toThrow('TRUNKLINE_CRASH_AT must be the name of a crash point');
  });
});
