import { randomUUID } from 'node:crypto';
import { joinSignature, UnavailableError } from '@trunkline/contracts';
import { createSecretVault } from '@trunkline/db';
import { expect, it } from 'vitest';
import { decodeSnapshotRequest } from './serve-snapshots.ts';

const vault = createSecretVault('s'.repeat(32));
const now = Date.now();
const request = { id: randomUUID(), sentAt: now, storage: 'second', repositoryId: 7 };
const signed = (content: unknown, by = vault, purpose: 'bus snapshot' | 'bus copy' = 'bus snapshot') => {
  const body = Buffer.from(JSON.stringify(content));
  return joinSignature(by.hmac(purpose, body), body);
};

it('E2 reads requests of backups with the same secret for this storage alone, for five minutes', () => {
  expect(decodeSnapshotRequest(vault, 'second', signed(request), now)).toEqual(request);
  const renewed = createSecretVault('n'.repeat(32), ['s'.repeat(32)]);
  expect(decodeSnapshotRequest(renewed, 'second', signed(request), now + 299_000)).toEqual(request);
  const refused = [
    signed(request, createSecretVault('u'.repeat(32))),
    signed(request, vault, 'bus copy'),
    signed({ ...request, storage: 'other' }),
    signed({ ...request, repositoryId: '7' }),
    signed(request).subarray(0, 20),
  ];
  for (const message of refused) {
    expect(() => decodeSnapshotRequest(vault, 'second', message, now)).toThrow(UnavailableError);
  }
  for (const at of [now - 301_000, now + 301_000]) {
    expect(() => decodeSnapshotRequest(vault, 'second', signed(request), at)).toThrow(UnavailableError);
  }
});
