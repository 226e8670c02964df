import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { BusyError, InvalidRequestError } from '../errors.ts';
import { decodeWorkerRequest, encodeWorkerRequest, readFormat, type WorkerRequest } from './worker-request.ts';

const readers = { 1: (message: unknown) => ['one', message], 2: (message: unknown) => ['two', message] };

describe('readFormat', () => {
  it.each([
    ['the format that the message names', { format: 2, text: 'x' }, 'two'],
    ['format 1 of a message without a number', { text: 'x' }, 'one'],
  ])('reads %s', (_case, message, reader) => {
    expect(readFormat(readers, message)).toEqual([reader, message]);
  });

  it.each([0, 3, 1.5, -1])('refuses format %d as busy, and says why in the log', (format) => {
    expect(() => readFormat(readers, { format })).toThrow(
      expect.objectContaining({
        name: BusyError.name,
        cause: expect.objectContaining({ message: expect.stringContaining(`its format is ${format}`) }),
      }),
    );
  });

  it.each([[null], ['1'], [{ format: '1' }], [{ format: null }], [{ format: 'toString' }]])(
    'refuses %j as malformed',
    (message) => {
      expect(() => readFormat(readers, message)).toThrow(expect.objectContaining({ name: 'ValiError' }));
    },
  );
});

const request: WorkerRequest = {
  method: 'get_repo',
  args: { repoid: 'grüße' },
  caller: { userId: 2, ip: '::1', credential: { kind: 'key', id: 3 } },
  callerKey: 'user 2',
  requestId: '0b0c3a3e-7b3f-4f0e-9c51-0c8f6e1f2a3b',
  baseUrl: 'https://code.example.com',
  timeoutMs: 5_000,
  sentAt: 1_700_000_000_000,
};

const bytes = (text: string) => new TextEncoder().encode(text);
const without = (name: string) => JSON.stringify({ ...request, [name]: undefined });
const withCaller = (caller: unknown) => JSON.stringify({ ...request, caller });

describe('the request codec', () => {
  it('decodes an encoded request to the same request', () => {
    expect(decodeWorkerRequest(encodeWorkerRequest(request))).toEqual(request);
  });

  it('ignores members that a worker does not know, as the trace context was to earlier releases', () => {
    const newer = JSON.stringify({ ...request, traceparent: 'x', later: { a: 1 } });
    expect(decodeWorkerRequest(bytes(newer))).toEqual({ ...request, traceparent: 'x' });
  });

  it('keeps any arguments', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const args: unknown = JSON.parse(json);
        expect(JSON.stringify(decodeWorkerRequest(encodeWorkerRequest({ ...request, args })).args)).toBe(
          JSON.stringify(args),
        );
      }),
    );
  });

  it.each<WorkerRequest['caller']['credential']>([
    { kind: 'session', id: 4 },
    { kind: 'password', fingerprint: 'a'.repeat(64) },
    { kind: 'anonymous' },
  ])('keeps the credential %j', (credential) => {
    const sent = { ...request, caller: { ...request.caller, credential } };
    expect(decodeWorkerRequest(encodeWorkerRequest(sent))).toEqual(sent);
  });

  it('keeps correlation id and trace id', () => {
    const sent = { ...request, correlationId: 'edge-1/7', traceId: '4bf92f3577b34da6a3ce929d0e0e4736' };
    expect(decodeWorkerRequest(encodeWorkerRequest(sent))).toEqual(sent);
  });

  it('writes the number of the format, and takes format 1 for a request without it, as release 0.1.0 wrote them', () => {
    expect(JSON.parse(Buffer.from(encodeWorkerRequest(request)).toString())).toEqual({ format: 1, ...request });
    expect(decodeWorkerRequest(bytes(JSON.stringify(request)))).toEqual(request);
  });

  it('refuses a format that this release does not read as busy, whatever the rest', () => {
    for (const later of [{ format: 9, ...request }, { format: 9 }]) {
      expect(() => decodeWorkerRequest(bytes(JSON.stringify(later)))).toThrow(BusyError);
    }
  });

  it('drops unknown members', () => {
    expect(decodeWorkerRequest(bytes(JSON.stringify({ ...request, isAdmin: true })))).toEqual(request);
    expect(decodeWorkerRequest(bytes(withCaller({ ...request.caller, isAdmin: true }))).caller).toEqual(request.caller);
  });

  it.each<[string, Uint8Array]>([
    ['no bytes', bytes('')],
    ['bytes that are not UTF-8', Buffer.from(JSON.stringify({ ...request, method: 'ÿ' }), 'latin1')],
    ['incomplete JSON', bytes('{"method":')],
    ['two values', bytes(`${JSON.stringify(request)}{}`)],
    ['null', bytes('null')],
    ['a list', bytes(`[${JSON.stringify(request)}]`)],
    ['inherited members', bytes(`{"__proto__":${JSON.stringify(request)}}`)],
    ...['method', 'args', 'caller', 'requestId', 'timeoutMs', 'sentAt'].map((name): [string, Uint8Array] => [
      `no ${name}`,
      bytes(without(name)),
    ]),
    ['a format that is no number', bytes(JSON.stringify({ format: '1', ...request }))],
    ['a method that is no text', bytes(JSON.stringify({ ...request, method: ['get_repo'] }))],
    ['a caller that is no object', bytes(withCaller('2'))],
    ['a user id that is a text', bytes(withCaller({ ...request.caller, userId: '2' }))],
    ['a caller without a credential', bytes(withCaller({ userId: 2, ip: '::1' }))],
    ['a credential of no known kind', bytes(withCaller({ ...request.caller, credential: { kind: 'root', id: 3 } }))],
    [
      'a fingerprint of another form',
      bytes(withCaller({ ...request.caller, credential: { kind: 'password', fingerprint: 'x' } })),
    ],
    ['a session without an id', bytes(withCaller({ ...request.caller, credential: { kind: 'session' } }))],
    ['a request id that is no UUID', bytes(JSON.stringify({ ...request, requestId: 'x\n{"level":50}' }))],
    ['a correlation id with a line break', bytes(JSON.stringify({ ...request, correlationId: 'x\n{"level":50}' }))],
    ['a long correlation id', bytes(JSON.stringify({ ...request, correlationId: 'x'.repeat(129) }))],
    ['a trace id that is not hexadecimal', bytes(JSON.stringify({ ...request, traceId: 'x' }))],
    ['deep nesting', bytes('['.repeat(100_000))],
  ])('refuses %s', (_case, hostile) => {
    expect(() => decodeWorkerRequest(hostile)).toThrow(
      expect.objectContaining({ name: InvalidRequestError.name, message: 'The request on the bus is malformed' }),
    );
  });

  it('refuses random bytes with InvalidRequestError', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (hostile) => {
        expect(() => decodeWorkerRequest(hostile)).toThrow(InvalidRequestError);
      }),
    );
  });
});
