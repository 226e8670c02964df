import { BusyError } from '@trunkline/contracts';
import { expect, it, vi } from 'vitest';
import type { Candidate } from '../sign-in/sign-in-store.ts';
import { createRememberSource } from './remember-source.ts';

const ann: Candidate = {
  userId: 3,
  username: 'Ann',
  admin: false,
  active: true,
  passwordHash: 'hash',
  ldapDn: null,
  fingerprint: 'f'.repeat(64),
  networks: [],
  isUsualSource: false,
};

it('B4 the source of a login is remembered once, whatever becomes of it', async () => {
  const remembered: string[] = [];
  const warned = vi.fn();
  const remember = async (_user: Candidate, source: string) => {
    remembered.push(source);
    if (source === '192.0.2.2') throw new BusyError();
  };
  const rememberSource = createRememberSource({ remember }, { warn: warned });
  rememberSource(ann, '192.0.2.1');
  rememberSource(ann, '192.0.2.2');
  rememberSource({ ...ann, isUsualSource: true }, '192.0.2.3');
  expect(remembered).toEqual(['192.0.2.1', '192.0.2.2']);
  await vi.waitFor(() => expect(warned).toHaveBeenCalledTimes(1), { timeout: 20_000 });
});
