import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConflictError, InternalError } from '../errors.ts';
import { decodeError, encodeError, encodeResult } from './worker-reply.ts';

const text = (payload: Uint8Array) => new TextDecoder().decode(payload);

describe('encodeResult', () => {
  it('encodes a result as JSON in UTF-8, without an error code', () => {
    expect(encodeResult({ a: 'ü' })).toEqual({ payload: Buffer.from('{"a":"ü"}'), errorCode: null });
  });

  it('encodes undefined as null', () => {
    expect(text(encodeResult(undefined).payload)).toBe('null');
  });
});

describe('the error codec', () => {
  it('returns the code beside the payload, and decodes the payload to the same error', () => {
    const reply = encodeError(new ConflictError('repo `ä` already exist', { details: { secret: 1 } }));
    expect(reply.errorCode).toBe('conflict');
    expect(text(reply.payload)).not.toContain('secret');
    expect(decodeError(reply.payload)).toEqual(new ConflictError('repo `ä` already exist'));
  });

  it('decodes any other bytes to an InternalError', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((json) => new TextEncoder().encode(json)),
        ),
        (hostile) => {
          expect(decodeError(hostile)).toBeInstanceOf(InternalError);
        },
      ),
    );
  });
});
