import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

describe('readConfig', () => {
  it('reads host and key, and treats an empty variable as unset', () => {
    expect(readConfig({ TRUNKLINE_APIHOST: 'http://h', TRUNKLINE_APIKEY: 'k', TRUNKLINE_PROFILE: 'p' })).toMatchObject({
      apihost: 'http://h',
      apikey: 'k',
      profile: 'p',
    });
    expect(readConfig({ TRUNKLINE_APIHOST: '', TRUNKLINE_APIKEY: '', TRUNKLINE_PROFILE: '' })).toEqual({});
  });

  it.each([
    [{ HOME: '/home/a', USERPROFILE: '/users/a' }, '/home/a/.config/trunkline'],
    [{ HOME: '', USERPROFILE: '/users/a' }, '/users/a/.config/trunkline'],
    [{ HOME: '/home/a', XDG_CONFIG_HOME: '/xdg' }, '/home/a/.config/trunkline'],
    [{}, undefined],
  ])('finds the configuration file of %j', (env, path) => {
    expect(readConfig(env).configPath).toBe(path);
  });
});
