import { expect, it } from 'vitest';
import { readyBanner } from './banner.ts';

const info = {
  baseUrl: 'http://127.0.0.1:5000',
  baseUrls: ['http://127.0.0.1:5000', 'http://127.0.0.1:5001'],
  metricsUrl: '',
  metricsUrls: ['http://127.0.0.1:5100/metrics', 'http://127.0.0.1:5120/metrics'],
  adminUser: 'admin',
  adminApiKey: 'ab'.repeat(20),
  storages: {},
  settings: {},
  databaseUrl: '',
  natsUrl: '',
};

it('shows the password when it is known', () => {
  const place = { dataDir: '/data', seconds: 1.23 };
  expect(readyBanner({ ...info, adminPassword: 'hush' }, place)).toContain('hush');
  expect(readyBanner(info, place)).not.toContain('Password');
});

it('says what to do when no administrator can sign in', () => {
  const { adminUser: _user, adminApiKey: _key, ...nobody } = info;
  const banner = readyBanner(nobody, { dataDir: '/data', seconds: 1.23 });
  expect(banner).toContain('npx trunklinectl --data-dir /data create-admin');
  expect(banner).not.toContain('undefined');
});

it('shows a complete command line of service-api, and all URLs', () => {
  const banner = readyBanner(info, { dataDir: '/data', seconds: 1.23 });
  expect(banner).toContain(`npx service-api --apihost=http://127.0.0.1:5000 --apikey=${'ab'.repeat(20)} get_repos\n`);
  expect(banner).toContain('http://127.0.0.1:5001');
  expect(banner).toContain('http://127.0.0.1:5120/metrics');
});
