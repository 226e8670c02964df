import { InternalError, UnavailableError, type RpcError } from '@trunkline/contracts';
import { createCallMetrics, createLogger } from '@trunkline/runtime';
import { describe, expect, it } from 'vitest';
import { callRecorder, type Call } from './recorders.ts';

const call: Call = {
  requestId: 'r-1',
  started: performance.now(),
  ip: '192.0.2.1',
  rawId: '1',
  sentMethod: 'show_ip',
  method: 'get_ip',
  lane: 'metadata',
  userId: 3,
};

function setUp(level = 'info') {
  const lines: string[] = [];
  const logger = createLogger({ role: 'gateway', level, destination: { write: (line) => void lines.push(line) } });
  const metrics = createCallMetrics('gateway');
  const record = callRecorder(logger, metrics);
  return {
    lines,
    metrics,
    record: (noted: Partial<Call>, error: RpcError | null) => record({ ...call, ...noted }, error, 40),
  };
}

function only(lines: readonly string[]): Record<string, unknown> {
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? '');
}

describe('callRecorder', () => {
  it('writes one line and counts one call', async () => {
    const { lines, metrics, record } = setUp();
    record({}, null);
    const known = { requestId: 'r-1', method: 'show_ip', lane: 'metadata', userId: 3, ip: '192.0.2.1', bytes: 40 };
    expect(only(lines)).toMatchObject({ ...known, role: 'gateway', code: 'ok', msg: 'call' });
    expect(await metrics.registry.metrics()).toContain(
      'trunkline_calls_total{method="get_ip",lane="metadata",code="ok"} 1',
    );
  });

  it('E9 truncates a method, and lets it begin no line of its own', () => {
    const { lines, record } = setUp();
    record({ sentMethod: `x\n{"level":60}\u001b[2J${'y'.repeat(1_000)}`, method: null, lane: null }, null);
    const { method } = only(lines);
    expect(method).toMatch(/^x\n\{"level":60\}/);
    expect(String(method)).toHaveLength(64);
    expect(lines[0]?.trimEnd()).not.toMatch(/\p{Cc}/u);
  });

  it('E9 logs no method that is not a string', () => {
    const { lines, record } = setUp();
    record({ sentMethod: { api_key: 'SECRET' } }, null);
    expect(only(lines)['method']).toBeNull();
  });

  it('logs why the service was unavailable', () => {
    const { lines, record } = setUp();
    record({}, new UnavailableError({ cause: new Error('bus: timeout') }));
    expect(only(lines)).toMatchObject({ code: 'unavailable', reason: 'bus: timeout' });
  });

  it('logs the redacted stack of an unexpected error', () => {
    const { lines, record } = setUp('error');
    record({}, null);
    record({}, new InternalError({ cause: Object.assign(new Error('broken'), { details: { api_key: 'SECRET' } }) }));
    expect(only(lines)).toMatchObject({ level: 50, code: 'internal', requestId: 'r-1', err: { message: 'broken' } });
    expect(lines[0]).toContain('recorders.test.ts');
    expect(lines[0]).not.toContain('SECRET');
  });
});
