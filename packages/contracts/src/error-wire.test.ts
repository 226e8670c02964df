import { describe, expect, it } from 'vitest';
import { fromWireError, toRpcError, toWireError } from './error-wire.ts';
import * as errors from './errors.ts';

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
