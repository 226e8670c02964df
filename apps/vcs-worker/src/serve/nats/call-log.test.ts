import { randomBytes } from 'node:crypto';
import {
  BusyError,
  encodeError,
  encodeResult,
  encodeWorkerRequest,
  InternalError,
  joinSignature,
  UnavailableError,
  type WorkerRequest,
} from '@trunkline/contracts';
import { createCallMetrics, createLogger, type SpanStart, type Tracing } from '@trunkline/runtime';
import { beforeEach, describe, expect, it } from 'vitest';
import { createCallLog, traceCall } from './call-log.ts';

const request = {
  method: 'get_repo',
  args: {},
  caller: { userId: 1, ip: '192.0.2.1', credential: { kind: 'key', id: 2 } },
  callerKey: 'user 1',
  requestId: '5c9f8a52-7a52-4d6f-9a0a-0b1b2d3f4a5c',
  timeoutMs: 1_000,
  sentAt: 0,
} as const;
const sent = { correlationId: 'edge-7', traceId: '4bf92f3577b34da6a3ce929d0e0e4736' };

function setUp() {
  const lines: string[] = [];
  const logger = createLogger({
    role: 'worker',
    level: 'info',
    destination: { write: (line) => void lines.push(line) },
  });
  const metrics = createCallMetrics('vcs-worker');
  const only = (): Record<string, unknown> => {
    expect(lines).toHaveLength(1);
    return JSON.parse(lines[0] ?? '');
  };
  return { log: createCallLog(metrics, logger), metrics, only };
}

const command = (body: Uint8Array) => joinSignature(randomBytes(32), body);
const ended = { lane: 'metadata', request, repositoryId: 12, started: performance.now(), error: null } as const;

describe('a call that has ended', () => {
  it('is logged in one line with its ids and its repository, and is counted', async () => {
    const { log, metrics, only } = setUp();
    log.ended({ ...ended, request: { ...request, ...sent } });
    const { requestId } = request;
    const known = { msg: 'call', method: 'get_repo', lane: 'metadata', repositoryId: 12, code: 'ok' };
    expect(only()).toMatchObject({ ...known, requestId, ...sent });
    expect(await metrics.registry.metrics()).toContain('method="get_repo",lane="metadata",code="ok"} 1');
  });

  it('has no fields for ids that its caller did not send', () => {
    const { log, only } = setUp();
    log.ended(ended);
    expect(only()).not.toHaveProperty('correlationId');
    expect(only()).not.toHaveProperty('traceId');
  });

  it('is logged with the cause of an internal error, but without the name of a method that does not exist', () => {
    const { log, only } = setUp();
    const error = new InternalError({ cause: new Error('seen in the log') });
    log.ended({ ...ended, request: { ...request, method: 'x\ny' }, error });
    expect(only()).toMatchObject({ method: 'unknown', code: 'internal', err: { message: 'seen in the log' } });
  });
});

describe('a command that is refused', () => {
  const why = new UnavailableError({ cause: new Error('why') });

  it('is logged with the ids that it has', () => {
    const { log, only } = setUp();
    log.refused(command(encodeWorkerRequest({ ...request, ...sent })), why);
    const { requestId } = request;
    expect(only()).toMatchObject({ msg: 'command refused', reason: 'why', requestId, ...sent });
  });

  it.each([
    ['nothing', new Uint8Array()],
    ['noise', command(randomBytes(40))],
    ['an id that is none', command(Buffer.from(JSON.stringify({ ...request, requestId: '{"level":60}' })))],
  ])('E2 is logged without ids when it has %s', (_what, bytes) => {
    const { log, only } = setUp();
    log.refused(bytes, why);
    expect(only()).toMatchObject({ msg: 'command refused', reason: 'why' });
    expect(only()).not.toHaveProperty('requestId');
  });
});

const tracedRequest: WorkerRequest = {
  method: 'get_repo',
  args: {},
  caller: { userId: 1, ip: '192.0.2.1', credential: { kind: 'key', id: 1 } },
  callerKey: '1',
  requestId: '00000000-0000-4000-8000-000000000000',
  traceparent: '00-11111111111111111111111111111111-2222222222222222-01',
  timeoutMs: 1_000,
  sentAt: 0,
};

let begun: SpanStart[];
let events: string[];
let tracing: Tracing;
beforeEach(() => {
  begun = [];
  events = [];
  tracing = {
    begin(start) {
      begun.push(start);
      return {
        traceparent: '',
        rename: () => {},
        set: () => {},
        recordOutcome: (code) => void events.push(code),
        fail: () => {},
        end: () => void events.push('end'),
      };
    },
    stop: async () => {},
  };
});

it('records a call below the request of the gateway, and its outcome', async () => {
  await traceCall(tracing, tracedRequest, 'metadata', async () => encodeResult(1));
  await traceCall(tracing, tracedRequest, 'metadata', async () => encodeError(new BusyError()));
  const failing = traceCall(tracing, tracedRequest, 'metadata', async () => {
    throw new BusyError();
  });
  await expect(failing).rejects.toThrow(BusyError);
  expect(begun.map(({ name, parent }) => [name, parent])).toEqual(
    begun.map(() => ['get_repo', tracedRequest.traceparent]),
  );
  expect(events).toEqual(['ok', 'end', 'busy', 'end', 'busy', 'end']);
});

it('records no call of a gateway that does not trace it', async () => {
  const { traceparent: _, ...untraced } = tracedRequest;
  expect(await traceCall(tracing, untraced, 'metadata', async () => encodeResult(1))).toEqual(encodeResult(1));
  expect(begun).toEqual([]);
});
