import { BusyError, encodeError, encodeResult, type WorkerRequest } from '@trunkline/contracts';
import type { SpanStart, Tracing } from '@trunkline/runtime';
import { beforeEach, expect, it } from 'vitest';
import { traceCall } from './trace-call.ts';

const request: WorkerRequest = {
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
  await traceCall(tracing, request, 'metadata', async () => encodeResult(1));
  await traceCall(tracing, request, 'metadata', async () => encodeError(new BusyError()));
  const failing = traceCall(tracing, request, 'metadata', async () => {
    throw new BusyError();
  });
  await expect(failing).rejects.toThrow(BusyError);
  expect(begun.map(({ name, parent }) => [name, parent])).toEqual(begun.map(() => ['get_repo', request.traceparent]));
  expect(events).toEqual(['ok', 'end', 'busy', 'end', 'busy', 'end']);
});

it('records no call of a gateway that does not trace it', async () => {
  const { traceparent: _, ...untraced } = request;
  expect(await traceCall(tracing, untraced, 'metadata', async () => encodeResult(1))).toEqual(encodeResult(1));
  expect(begun).toEqual([]);
});
