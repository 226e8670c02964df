import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import {
  decodeError,
  encodeError,
  encodeJson,
  encodeResult,
  fromWireError,
  rawJson,
  toWireError,
} from './worker-reply.ts';
import * as errors from '../errors.ts';
import { ConflictError, InternalError, toRpcError } from '../errors.ts';

const options = { cause: new Error('cause'), details: { secret: 'detail' } };

const everyError: readonly errors.RpcError[] = [
  new errors.InvalidRequestError('a', options),
  new errors.MethodNotFoundError('b', options),
  new errors.AuthenticationError('c', options),
  new errors.InvalidArgsError('d', options),
  new errors.ForbiddenError('e', options),
  new errors.NotFoundError('f', options),
  new errors.ConflictError('g', options),
  new errors.RepositoryLockedError('i', options),
  new errors.OperationFailedError('h', options),
  errors.OutcomeUnknownError.of('17', options.cause),
  new errors.BusyError(options),
  new errors.UnavailableError(options),
  new errors.InternalError(options),
  new errors.WrongStorageError('default', options),
];

describe('errors on the wire', () => {
  it('have every code', () => {
    expect(everyError.map(({ code }) => code).toSorted()).toEqual(errors.errorCodes.toSorted());
  });

  it.each(everyError)('$name is rebuilt as the same class, without cause and details', (error) => {
    const wire: unknown = JSON.parse(JSON.stringify(toWireError(error)));
    expect(wire).toEqual({ code: error.code, message: error.message });
    const back = fromWireError(wire);
    expect(back).toBeInstanceOf(error.constructor);
    expect([back.name, back.message, back.cause, back.details]).toEqual([error.name, error.message, undefined, {}]);
  });

  it.each(['busy', 'unavailable', 'internal'])('%s is rebuilt with a fixed text, whatever message was sent', (code) => {
    expect(fromWireError({ code, message: 'stack at /srv/x.js' }).message).not.toContain('stack');
  });

  it.each([
    [undefined],
    [null],
    ['busy'],
    [[]],
    [{}],
    [{ code: 'busy' }],
    [{ code: 'nosuch', message: 'x' }],
    [{ code: '__proto__', message: 'x' }],
    [{ code: 'constructor', message: 'x' }],
    [{ code: 'conflict', message: 1 }],
  ])('%j, which is no error on the wire, becomes an InternalError', (wire) => {
    expect(fromWireError(wire)).toBeInstanceOf(errors.InternalError);
    expect(fromWireError(wire).message).toBe('Internal server error');
  });
});

describe('toRpcError', () => {
  it('returns an RpcError unchanged', () => {
    const error = new errors.ConflictError('taken');
    expect(toRpcError(error)).toBe(error);
  });

  it.each([[new TypeError('x')], ['text'], [null], [undefined]])(
    'makes %j the cause of an InternalError, which the client does not see',
    (thrown) => {
      const error = toRpcError(thrown);
      expect(error).toBeInstanceOf(errors.InternalError);
      expect(error.message).toBe('Internal server error');
      expect(error.cause).toBe(thrown);
    },
  );
});

it('encodes a value with texts in it as the value that they stand for', () => {
  const [map, list] = [{ 'a "b"': 'c\\d', ü: '\u0001' }, [1, null, '"']];
  const value = { before: 'x', map, inside: [{ list }, 'y'], after: null };
  const raw = {
    ...value,
    map: rawJson(JSON.stringify(map)),
    inside: [{ list: rawJson(JSON.stringify(list)) }, 'y'],
  };
  expect(encodeJson(raw)).toBe(JSON.stringify(value));
  // A failed encoding leaves nothing behind for the next one.
  const failing = {
    toJSON() {
      throw new Error('no JSON');
    },
  };
  expect(() => encodeJson([rawJson('1'), failing])).toThrow('no JSON');
  expect(encodeJson({ a: 1 })).toBe('{"a":1}');
});

it('encodes a lone text, and nothing as null', () => {
  expect(encodeJson(rawJson('{}'))).toBe('{}');
  expect(encodeJson(undefined)).toBe('null');
});

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
