import { createHash } from 'node:crypto';
import { createLogger, hashPassword } from '@trunkline/runtime';
import { expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import { createCheckLogin } from './check-login.ts';
import { createPasswordQueues } from './password-queues.ts';
import type { Candidate } from './sign-in-store.ts';

const foreign = createHash('sha256').update('right').digest('hex');
const imported: Candidate = {
  userId: 3,
  username: 'ann',
  admin: false,
  active: true,
  passwordHash: foreign,
  ldapDn: null,
  networks: [],
  fingerprint: 'f'.repeat(64),
  isUsualSource: true,
};

/** Creates a check during which something else replaces the hash after it was read. */
function createCheck(meanwhile: Candidate) {
  let now = imported;
  return createCheckLogin({
    ldap: null,
    clock: systemClock,
    queues: createPasswordQueues(),
    logger: createLogger({ role: 'test', level: 'silent' }),
    store: { find: async () => ({ user: now, isKnownSource: true, foreignWork: false }) },
    upgradePassword: async () => {
      now = meanwhile;
      throw new Error('the password has changed');
    },
  });
}

const login = { username: 'ann', password: 'right', ip: '192.0.2.1' };

it('lets a user in whose hash another sign-in has replaced at the same time', async () => {
  const upgraded = { ...imported, passwordHash: await hashPassword('right'), fingerprint: 'e'.repeat(64) };
  expect(await createCheck(upgraded)(login)).toEqual(upgraded);
});

it('B5 takes no other password that was set meanwhile for the one that was checked', async () => {
  const changed = { ...imported, passwordHash: await hashPassword('another') };
  // The session or the remembered source is refused later, since this hash is no longer the user's.
  expect((await createCheck(changed)(login)).passwordHash).toBe(foreign);
});
