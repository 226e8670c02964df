import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { serviceVersion } from './service-version.ts';

const packageOf = createRequire(import.meta.url);

it('is the version in package.json, which workers have, too', async () => {
  expect(await serviceVersion()).toBe(packageOf('../package.json').version);
  expect(await serviceVersion()).toBe(packageOf('../../../apps/vcs-worker/package.json').version);
});
