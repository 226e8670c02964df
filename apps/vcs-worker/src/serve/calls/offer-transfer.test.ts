import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { BusyError, type DataOffer } from '@trunkline/contracts';
import type { DataHandler } from '@trunkline/runtime';
import { assert, expect, it } from 'vitest';
import { createLaneSlots } from '../admission/lane-slots.ts';
import { collectBytes } from '../../collect-bytes.ts';
import type { DataPort } from '../data-port.ts';
import { offerTransfer } from './offer-transfer.ts';

type OfferOptions = NonNullable<Parameters<DataPort['offer']>[2]>;

const made: DataOffer = { address: 'http://127.0.0.1:1', ticket: 't', expiresMs: 1, hmac: 'h' };
const request = { body: (async function* () {})(), signal: new AbortController().signal };

function setUp() {
  const slots = createLaneSlots(2, { quota: 2 });
  const slot = slots.tryTake('reader');
  assert(slot);
  const offered: { handler: DataHandler; options: OfferOptions }[] = [];
  const dataPort: Pick<DataPort, 'offer'> = {
    offer: (_requestId, handler, options) => {
      offered.push({ handler, options: options ?? {} });
      return made;
    },
  };
  return { slots, slot, dataPort, offered };
}

const reply: DataHandler = async () => ({
  body: (async function* () {
    yield Buffer.from('bytes');
  })(),
});

it('a call keeps its slot until the transfer has ended', async () => {
  const { slots, slot, dataPort, offered } = setUp();
  let ended = 0;
  expect(offerTransfer({ dataPort, slot, requestId: 'id' }, reply, () => (ended += 1))).toBe(made);
  slot.end();
  expect(slots.held).toBe(1);
  const [offer] = offered;
  assert(offer);
  const { body } = await offer.handler(request);
  expect(String(await collectBytes(body))).toBe('bytes');
  offer.options.ended?.();
  await Promise.resolve();
  expect([slots.held, ended]).toEqual([0, 1]);
});

it('E6 a call keeps its slot until the work of its transfer has ended, which its client does not await', async () => {
  const { slots, slot, dataPort, offered } = setUp();
  let end = () => {};
  const work = new Promise<void>((resolve) => (end = resolve));
  offerTransfer({ dataPort, slot, requestId: 'id' }, (sent) => {
    sent.keepSlotFor(work);
    return reply(sent);
  });
  slot.end();
  const [offer] = offered;
  assert(offer);
  await offer.handler(request);
  offer.options.ended?.();
  await turn();
  expect(slots.held).toBe(1);
  end();
  await turn();
  expect(slots.held).toBe(0);
});

it('a call whose offer is refused keeps no slot', () => {
  const { slots, slot } = setUp();
  const refuse = () => {
    throw new BusyError();
  };
  expect(() => offerTransfer({ dataPort: { offer: refuse }, slot, requestId: 'id' }, reply)).toThrow(BusyError);
  slot.end();
  expect(slots.held).toBe(0);
});

it('E6 a reader that is too slow is cut off', async () => {
  const { slot, dataPort, offered } = setUp();
  let cutOff = () => {};
  const watched = {
    ...slot,
    beginReading: (end: () => void) => {
      cutOff = end;
      return { sent: () => {}, wanted: () => {} };
    },
  };
  offerTransfer({ dataPort, slot: watched, requestId: 'id' }, reply);
  const [offer] = offered;
  assert(offer);
  await offer.handler(request);
  expect(offer.options.signal?.aborted).toBe(false);
  cutOff();
  expect(offer.options.signal?.aborted).toBe(true);
});

it('E6 what a transfer starts is done for the caller of its call', async () => {
  const { slot, dataPort, offered } = setUp();
  const caller = new AsyncLocalStorage<string>();
  const callers: (string | undefined)[] = [];
  const body = async function* () {
    callers.push(caller.getStore());
    yield Buffer.from('bytes');
  };
  const handler: DataHandler = async () => {
    callers.push(caller.getStore());
    return { body: body() };
  };
  caller.run('ann', () => offerTransfer({ dataPort, slot, requestId: 'id' }, handler));
  const [offer] = offered;
  assert(offer);
  await collectBytes((await offer.handler(request)).body);
  expect(callers).toEqual(['ann', 'ann']);
});
