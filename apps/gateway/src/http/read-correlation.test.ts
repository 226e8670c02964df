import { describe, expect, it } from 'vitest';
import { readCorrelation } from './read-correlation.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = '00f067aa0ba902b7';

describe('X-Request-Id', () => {
  it.each([
    'a',
    '0b0c3a3e-7b3f-4f0e-9c51-0c8f6e1f2a3b',
    'Root=1-67891233-abcdef012345678912345678',
    'host/7:12.3+4',
    'x'.repeat(128),
  ])('%j is taken on', (id) => {
    expect(readCorrelation({ 'x-request-id': id }).correlationId).toBe(id);
  });

  it.each([
    '',
    ' a',
    'a b',
    'a, b',
    '-a',
    'a"b',
    'a\\b',
    'a\nb',
    'a\u0000',
    '{"level":50}',
    'ä',
    '<script>',
    '$(id)',
    'x'.repeat(129),
  ])('%j is not', (id) => {
    expect(readCorrelation({ 'x-request-id': id }).correlationId).toBeUndefined();
  });
});

describe('traceparent', () => {
  it.each([
    `00-${trace}-${parent}-01`,
    `00-${trace}-${parent}-00`,
    `cc-${trace}-${parent}-01`,
    `cc-${trace}-${parent}-01-what-comes-later`,
  ])('%j is taken on', (traceparent) => {
    expect(readCorrelation({ traceparent })).toEqual({ correlationId: undefined, traceId: trace });
  });

  it.each([
    '',
    trace,
    `00-${trace}-${parent}`,
    `00-${trace}-${parent}-01-more`,
    `00-${trace}-${parent}-1`,
    `00-${trace.toUpperCase()}-${parent}-01`,
    `00-${'0'.repeat(32)}-${parent}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace}0-${parent}-01`,
    `ff-${trace}-${parent}-01`,
    `cc-${trace}-${parent}-01.more`,
    `cc-${trace}-${parent}-01-${'x'.repeat(129)}`,
    ` 00-${trace}-${parent}-01`,
    `00-${trace}-${parent}-01\n`,
    `00-${trace}-${parent}-01, 00-${trace}-${parent}-01`,
  ])('%j is not', (traceparent) => {
    expect(readCorrelation({ traceparent }).traceId).toBeUndefined();
  });
});

it('both ids are undefined for a request without these headers', () => {
  expect(readCorrelation({})).toEqual({ correlationId: undefined, traceId: undefined });
});
