import { decodeError, type DataOffer } from '@trunkline/contracts';
import { assert, expect, it, vi } from 'vitest';
import type { OfferedHandler } from '../../serve/calls/offer-transfer.ts';
import { collectBytes } from '../../collect-bytes.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import { offerAnswer, onePiece, type OfferContext } from './send-answer.ts';

const made: DataOffer = { address: 'http://127.0.0.1:1', ticket: 't', expiresMs: 1, hmac: 'h' };

/** Offers an answer of these pieces; returns the reply of the transfer. */
async function replyWith(pieces: AsyncIterable<Uint8Array>, isGone = false) {
  let handler: OfferedHandler | undefined;
  const warn = vi.fn();
  const context = {
    storage: { isOurs: async () => true },
    requestId: 'id',
    logger: { warn },
    offerTransfer: (offered: OfferedHandler) => {
      handler = offered;
      return made;
    },
  } as unknown as OfferContext;
  expect(offerAnswer(async () => ({ type: null, pieces }), context)).toBe(made);
  assert(handler);
  const signal = isGone ? AbortSignal.abort() : new AbortController().signal;
  const reply = await handler({ body: onePiece(Buffer.from('sent')), signal, keepSlotFor: () => {} });
  return { ...reply, warned: warn.mock.calls.length };
}

async function* failing(...before: string[]): AsyncGenerator<Uint8Array> {
  for (const piece of before) yield Buffer.from(piece);
  throw new VcsError('failed', 'git upload-pack ended with 128: fatal: /secret/path');
}

it('an answer that fails before its first byte becomes an error that clients are told, and that is logged', async () => {
  const { status, body, warned } = await replyWith(failing());
  const error = decodeError(await collectBytes(body));
  expect([status, error.code, warned]).toEqual([500, 'operation_failed', 1]);
  expect(error.message).toBe('The repository cannot be read, or the request is malformed');
});

it('an answer that has begun is sent, as far as it comes', async () => {
  const whole = await replyWith(onePiece(Buffer.from('all')));
  expect([whole.status, String(await collectBytes(whole.body)), whole.warned]).toEqual([undefined, 'all', 0]);
  const cut = await replyWith(failing('a part'));
  await expect(collectBytes(cut.body)).rejects.toThrow('upload-pack');
  expect(String(await collectBytes((await replyWith(onePiece(Buffer.alloc(0)))).body))).toBe('');
});

it('nobody is told when the client has gone', async () => {
  await expect(replyWith(failing(), true)).rejects.toThrow('upload-pack');
});
