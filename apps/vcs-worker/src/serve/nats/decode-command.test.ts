import { encodeWorkerRequest, joinSignature, methods, type WorkerRequest } from '@trunkline/contracts';
import { createSecretVault } from '@trunkline/db';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCommand, detectPauses } from './decode-command.ts';

const vault = createSecretVault('s'.repeat(32));
const other = createSecretVault('t'.repeat(32));
const sentAt = 1_700_000_000_000;
const minutes = (count: number) => count * 60_000;
const request: WorkerRequest = {
  method: 'create_user',
  args: { username: 'ann' },
  caller: { userId: 2, ip: '::1', credential: { kind: 'key', id: 3 } },
  callerKey: 'user 2',
  requestId: '0b0c3a3e-7b3f-4f0e-9c51-0c8f6e1f2a3b',
  timeoutMs: 5_000,
  sentAt,
};
const body = encodeWorkerRequest(request);
const command = joinSignature(vault.hmac('bus command', body), body);

const decode = (bytes: Uint8Array, now = sentAt) => decodeCommand(vault, () => methods.create_user, bytes, now);

/** Returns the client's text and the log's reason for a refused command; empty texts for one that is decoded. */
function refusal(bytes: Uint8Array, now?: number): [string, string] {
  try {
    decode(bytes, now);
  } catch (error) {
    if (error instanceof Error && error.cause instanceof Error) return [error.message, error.cause.message];
    throw error;
  }
  return ['', ''];
}

const unavailable = 'Service is temporarily unavailable, try again later';
const unsigned = [unavailable, 'it is not signed by a gateway with the same TRUNKLINE_SECRET'];

describe('decodeCommand', () => {
  it('decodes a command, also between clocks that differ a little', () => {
    for (const now of [sentAt, sentAt + minutes(5), sentAt - minutes(5)]) expect(decode(command, now)).toEqual(request);
  });

  it('E2 refuses a command of which any byte was changed', () => {
    for (let at = 0; at < command.length; at += 1) {
      const changed = Uint8Array.from(command, (byte, index) => (index === at ? byte ^ 1 : byte));
      expect(refusal(changed), `byte ${at}`).toEqual(unsigned);
    }
  });

  it.each([
    ['nothing', new Uint8Array()],
    ['no signature', body],
    ['no body', command.subarray(0, 32)],
    ['the signature of another secret', joinSignature(other.hmac('bus command', body), body)],
    [
      'a signature for another purpose',
      joinSignature(vault.hmac('session cookie', Buffer.from(body).toString()), body),
    ],
  ])('E2 refuses %s', (_what, bytes) => {
    expect(refusal(bytes)).toEqual(unsigned);
  });

  it('E2 refuses any bytes with the same error', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(refusal(bytes)).toEqual(unsigned);
      }),
    );
  });

  it.each([5.01, -5.01])('E2 refuses a command that is %d minutes old, and names the clocks in the reason', (age) => {
    const [text, why] = refusal(command, sentAt + minutes(age));
    expect(text).toBe(unavailable);
    expect(why).toContain('clocks');
  });

  it('opens the secrets among the arguments', () => {
    const password = { any: ['value', 1] };
    const sealed = vault.seal(JSON.stringify(password)).toString('base64');
    const secret = encodeWorkerRequest({ ...request, args: { username: 'ann', password: sealed } });
    expect(decode(joinSignature(vault.hmac('bus command', secret), secret)).args).toEqual({
      username: 'ann',
      password,
    });
  });
});

function watch() {
  const clock = { ms: 0 };
  const { pausedLately: lately } = detectPauses(() => clock.ms);
  /** Advances the clock while the detector looks at it; `standStill` advances the clock without that. */
  const run = (ms: number) => {
    for (const until = clock.ms + ms; clock.ms < until; clock.ms += 100) lately();
  };
  const standStill = (ms: number) => (clock.ms += ms);
  return { lately, run, standStill };
}

describe('detectPauses', () => {
  it('reports no pause of a running process', () => {
    const { lately, run } = watch();
    expect(lately()).toBe(false);
    run(60_000);
    expect(lately()).toBe(false);
  });

  it('reports a pause at once when the process wakes up, and for a while after', () => {
    const { lately, run, standStill } = watch();
    run(500);
    standStill(1_500);
    expect(lately()).toBe(true);
    run(9_000);
    expect(lately()).toBe(true);
    run(2_000);
    expect(lately()).toBe(false);
  });
});
