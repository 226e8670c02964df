import { randomUUID } from 'node:crypto';
import { BusyError, joinSignature, UnavailableError, type CopyRequest } from '@trunkline/contracts';
import { createSecretVault } from '@trunkline/db';
import { describe, expect, it } from 'vitest';
import { decodeCopyRequest, encodeCopyRequest } from './copy-messages.ts';

const vault = createSecretVault('s'.repeat(32));
const uuid = randomUUID();
const now = Date.now();
const request: CopyRequest = {
  id: randomUUID(),
  sentAt: now,
  storage: 'second',
  operationId: randomUUID(),
  attempt: 1,
  storagePath: `@repos/${uuid.slice(0, 2)}/${uuid}.2`,
  action: { kind: 'send', whole: true, linkSources: ['old/place', `@repos/${uuid.slice(0, 2)}/${uuid}`] },
};

describe('E2 a request for a copy', () => {
  it('is read by the storage that it is for, also under a former secret', () => {
    expect(decodeCopyRequest(vault, 'second', encodeCopyRequest(vault, request), now)).toEqual(request);
    const renewed = createSecretVault('t'.repeat(32), ['s'.repeat(32)]);
    expect(decodeCopyRequest(renewed, 'second', encodeCopyRequest(vault, request), now)).toEqual(request);
  });

  it('is read in format 1, with or without the number, and refused as busy in any other format', () => {
    const signed = (message: unknown) => {
      const body = Buffer.from(JSON.stringify(message));
      return joinSignature(vault.hmac('bus copy', body), body);
    };
    expect(encodeCopyRequest(vault, request)).toEqual(signed({ format: 1, ...request }));
    expect(decodeCopyRequest(vault, 'second', signed(request), now)).toEqual(request);
    expect(() => decodeCopyRequest(vault, 'second', signed({ format: 9 }), now)).toThrow(BusyError);
  });

  it('is refused when it is forged, altered, old, early or for another storage', () => {
    const message = encodeCopyRequest(vault, request);
    const altered = Buffer.from(message);
    altered.writeUInt8(altered.readUInt8(altered.length - 3) ^ 1, altered.length - 3);
    const asCommand = { hmac: (_purpose: string, body: Uint8Array | string) => vault.hmac('bus command', body) };
    const refused: readonly (readonly [Uint8Array, string?, number?])[] = [
      [encodeCopyRequest(createSecretVault('u'.repeat(32)), request)],
      [encodeCopyRequest(asCommand, request)],
      [altered],
      [message.subarray(0, 20)],
      [Buffer.alloc(0)],
      [message, 'third'],
      [message, 'second', now + 301_000],
      [message, 'second', now - 301_000],
    ];
    for (const [bytes, storage = 'second', at = now] of refused) {
      expect(() => decodeCopyRequest(vault, storage, bytes, at)).toThrow(UnavailableError);
    }
  });

  it.each(['../outside', '/outside', '@repos/../x', '@repos/ab/x', 'a//b', './a', '', 'a\0b'])(
    'that names the path %j is refused',
    (path) => {
      const linkSources = [path];
      const wrong = [{ ...request, storagePath: path }];
      if (path !== '@repos/ab/x') wrong.push({ ...request, action: { kind: 'send', whole: true, linkSources } });
      for (const one of wrong) {
        expect(() => decodeCopyRequest(vault, 'second', encodeCopyRequest(vault, one), now)).toThrow(UnavailableError);
      }
    },
  );
});
