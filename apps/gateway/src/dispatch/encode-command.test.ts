import { decodeWorkerRequest, methods, splitSignature } from '@trunkline/contracts';
import { createSecretVault } from '@trunkline/db';
import { expect, it } from 'vitest';
import { encodeCommand } from './encode-command.ts';

const vault = createSecretVault('s'.repeat(32));
const request = {
  args: { username: 'ann', password: 'hunter2-hunter2' },
  caller: { userId: 1, ip: '::1', credential: { kind: 'key', id: 2 } },
  requestId: '5c9f8a52-7a52-4d6f-9a0a-0b1b2d3f4a5c',
  timeoutMs: 1_000,
  sentAt: 1_700_000_000_000,
} as const;

it('E2 a command has a signature over its whole body', () => {
  const { signature, body } = splitSignature(encodeCommand(vault, methods.create_user, request));
  expect(Buffer.from(signature)).toEqual(vault.hmac('bus command', body));
  expect(decodeWorkerRequest(body)).toMatchObject({ method: 'create_user', sentAt: request.sentAt });
});

it('E2 a command has its passwords sealed', () => {
  const command = encodeCommand(vault, methods.create_user, request);
  expect(Buffer.from(command).includes('hunter2')).toBe(false);
  const { args } = decodeWorkerRequest(splitSignature(command).body);
  const password = Buffer.from(String(Object(args).password), 'base64');
  expect([Object(args).username, vault.open(password)]).toEqual(['ann', '"hunter2-hunter2"']);
});
