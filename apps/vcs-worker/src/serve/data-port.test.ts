import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { decodeDataOffer, decodeError, InvalidRequestError, subjects } from '@trunkline/contracts';
import { createSecretVault } from '@trunkline/db';
import { type Bus, createCallMetrics, createLogger, DataClient } from '@trunkline/runtime';
import { assert, expect, it, onTestFinished } from 'vitest';
import { readWorkerConfig } from '../config.ts';
import { startDataPort } from './data-port.ts';

type Served = Parameters<Bus['serve']>[1];

const env = {
  TRUNKLINE_DATABASE_URL: 'postgres://db',
  TRUNKLINE_NATS_URL: 'nats://bus',
  TRUNKLINE_SECRET: 's'.repeat(32),
  TRUNKLINE_STORAGE_ROOT: '/storage',
};

async function setUp() {
  const vault = createSecretVault(env.TRUNKLINE_SECRET);
  const metrics = createCallMetrics('vcs-worker');
  const served = new Map<string, Served>();
  const serve: Bus['serve'] = (subject, options) => {
    served.set(subject, options);
    return { inFlight: 0, isSubscribed: true, drain: async () => {} };
  };
  const logger = createLogger({ role: 'test', level: 'silent' });
  const port = await startDataPort(readWorkerConfig(env), { bus: { serve } as Bus, vault, logger, metrics });
  const client = new DataClient({ networks: ['127.0.0.0/8'], ca: null, vault });
  onTestFinished(() => port.stop(0, Promise.resolve()));
  onTestFinished(() => client.close());
  const service = served.get(subjects.dataPorts);
  assert(service, 'nothing is served');
  const ask = async (text: string) => {
    const reply = await service.handle(Buffer.from(text), new AbortController().signal, () => {});
    assert('payload' in reply, 'a stream');
    return reply.payload;
  };
  return { port, client, metrics, service, ask };
}

it('offers each gateway that asks a transfer that sends back what it gets', async () => {
  const { client, ask, metrics } = await setUp();
  const requestId = randomUUID();
  const offer = decodeDataOffer(await ask(requestId));
  assert(offer, 'no offer');
  const body = (async function* () {
    yield Buffer.from('sent');
  })();
  const answer = await client.transfer(offer, requestId, { body });
  expect((await buffer(answer.body)).toString()).toBe('sent');
  const text = await metrics.registry.metrics();
  expect(text).toContain('trunkline_data_bytes_total{direction="in"} 4');
  expect(text).toContain('trunkline_data_bytes_total{direction="out"} 4');
  expect(text).toContain('trunkline_data_requests_refused_total 0');
});

it.each(['', 'x', `${randomUUID()}0`, 'x'.repeat(10_000)])('makes no offer for the malformed id %#', async (id) => {
  const { ask } = await setUp();
  expect(decodeError(await ask(id))).toBeInstanceOf(InvalidRequestError);
});

it('is silent while too many offers are open, and after the stop', async () => {
  const { port, service, ask } = await setUp();
  for (let asked = 0; asked < 64; asked += 1) {
    expect(service.isSilent?.()).toBe(false);
    await ask(randomUUID());
  }
  expect(service.isSilent?.()).toBe(true);
  await port.stop(1, Promise.resolve());
  expect([service.isSilent?.(), port.isListening]).toEqual([true, false]);
});
