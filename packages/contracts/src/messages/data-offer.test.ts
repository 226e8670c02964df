import { describe, expect, it } from 'vitest';
import { decodeAnswerOffer, decodeDataOffer, encodeAnswerOffer } from './data-offer.ts';
import { encodeResult } from './worker-reply.ts';

const token = 'A'.repeat(43);
const offer = { address: 'http://127.0.0.1:4711', ticket: token, expiresMs: 5_000, hmac: token };
const decode = (value: unknown) => decodeDataOffer(encodeResult(value).payload);

describe('decodeDataOffer', () => {
  it('returns an offer as a worker encodes it', () => {
    expect(decode(offer)).toEqual(offer);
    expect(decode({ ...offer, address: 'https://worker-1.example' })).toMatchObject({ ticket: token });
  });

  it.each([
    { ...offer, ticket: 'A' },
    { ...offer, ticket: `${'A'.repeat(42)}/` },
    { ...offer, hmac: undefined },
    { ...offer, expiresMs: 0 },
    { ...offer, expiresMs: 60_001 },
    { ...offer, address: 'http://user:password@127.0.0.1' },
    { ...offer, address: 'http://127.0.0.1/path' },
    { ...offer, address: 'ftp://127.0.0.1' },
    { ...offer, address: `http://${'a'.repeat(300)}` },
    { ...offer, further: 'x'.repeat(1_024) },
    [],
    null,
  ])('returns null for %j', (value) => {
    expect(decode(value)).toBeNull();
  });

  it('returns null for bytes that are no JSON', () => {
    expect(decodeDataOffer(Buffer.from('{'))).toBeNull();
    expect(decodeDataOffer(Buffer.from([0xff]))).toBeNull();
  });
});

describe('decodeAnswerOffer', () => {
  it.each([0, 67_108_864, null])('returns an offer of %j bytes as a worker encodes it', (bytes) => {
    const { payload, isOffer } = encodeAnswerOffer({ ...offer, bytes });
    expect([decodeAnswerOffer(payload), isOffer]).toEqual([{ ...offer, bytes }, true]);
  });

  it.each([offer, { ...offer, bytes: -1 }, { ...offer, bytes: 1.5 }, { ...offer, bytes: 1, hmac: '' }])(
    'returns null for %j',
    (value) => {
      expect(decodeAnswerOffer(encodeResult(value).payload)).toBeNull();
    },
  );
});
