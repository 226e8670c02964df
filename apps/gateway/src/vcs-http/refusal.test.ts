import {
  AuthenticationError,
  BusyError,
  ForbiddenError,
  InternalError,
  InvalidRequestError,
  NotFoundError,
  OperationFailedError,
  UnavailableError,
  type RpcError,
} from '@trunkline/contracts';
import { describe, expect, it } from 'vitest';
import { addressRefused } from '../authn/authenticate.ts';
import { AddressRateError, RateLimitedError } from '../authn/rate-limit.ts';
import { BodyTooLargeError } from '../http/read-body.ts';
import { loginNeeded, refusalOf } from './refusal.ts';

const ip = '192.0.2.1';
const refuse = (error: RpcError, isAnonymous = false) => refusalOf(error, { realm: 'Code', ip, isAnonymous });

describe('refusalOf', () => {
  it.each<[RpcError, number, string]>([
    [new AuthenticationError('Invalid API key'), 401, 'Invalid username, password or API key'],
    [new AuthenticationError('Invalid username or password'), 401, 'Invalid username, password or API key'],
    [addressRefused(ip), 403, 'request from IP:192.0.2.1 not allowed'],
    [new NotFoundError('repository `a` does not exist'), 404, 'Repository not found'],
    [new ForbiddenError('Pushes are not served here yet'), 403, 'Pushes are not served here yet'],
    [new InvalidRequestError('x'), 400, 'x'],
    [new BodyTooLargeError(5), 413, 'Request body is too large (limit 5 bytes)'],
    [new OperationFailedError('x'), 500, 'x'],
    [new InternalError({ cause: new Error('secret') }), 500, 'Internal server error'],
  ])('%o is %i', (error, status, text) => {
    expect(refuse(error)).toMatchObject({ status, text });
  });

  it('asks who has not signed in for a login, unless nobody would be served', () => {
    const asked = loginNeeded('Code');
    expect(refuse(new AuthenticationError('Sign in first'), true)).toEqual(asked);
    expect(refuse(new NotFoundError('repository `a` does not exist'), true)).toEqual(asked);
    expect(refuse(new ForbiddenError('x'), true)).toMatchObject({ status: 403 });
    expect(asked.headers['WWW-Authenticate']).toBe('Basic realm="Code", charset="UTF-8"');
  });

  it('E5 says when to try again', () => {
    for (const error of [new BusyError(), new UnavailableError()]) {
      expect(refuse(error)).toMatchObject({ status: 503, headers: { 'Retry-After': '10' } });
    }
    expect(refuse(new RateLimitedError(3_500)).headers['Retry-After']).toBe('4');
    expect(refuse(new AddressRateError(1_500), true)).toEqual({
      status: 429,
      text: 'Too many requests without a login from your address, sign in or try again later',
      headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Retry-After': '2' },
    });
  });

  it('A11 makes a header of any name of the site', () => {
    expect(loginNeeded('a "ü"\r\nX: y').headers['WWW-Authenticate']).toBe(
      'Basic realm="a \\"%C3%BC\\"%0D%0AX: y", charset="UTF-8"',
    );
  });
});
