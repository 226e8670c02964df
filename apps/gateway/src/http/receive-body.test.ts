import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { BusyError } from '@trunkline/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import { BodyBudget } from './body-budget.ts';
import { createBodySlices } from './body-slices.ts';
import { ClientGoneError } from './read-body.ts';
import { createReceiveBody, type ReceiveOptions, type Sender } from './receive-body.ts';

const bytesMax = 200_000;
const cleanUps: (() => void)[] = [];

afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

/** Starts a server; `begin` opens a request with a body of `length` bytes, of which `sent` are sent. */
async function setUp() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  cleanUps.push(() => server.close().closeAllConnections());
  const begin = async (length: number, sent: string) => {
    const client = connect(port, '127.0.0.1').on('error', () => {});
    client.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${sent}`);
    const [incoming] = (await once(server, 'request')) as [IncomingMessage];
    return { client, incoming };
  };
  return { begin };
}

interface Options extends Partial<ReceiveOptions> {
  readonly pendingBytesMax: number;
  readonly sliceMs?: number;
}

function receiver({ pendingBytesMax, sliceMs, ...options }: Options) {
  const budget = new BodyBudget({ pendingBytesMax, bodyBytesMax: bytesMax });
  return createReceiveBody({ bytesMax, budget, takeSlice: createBodySlices(sliceMs), ...options });
}

const textOf = async (body: Buffer) => body.toString();

/** Resolves once at least so many bytes of the request have arrived. */
async function arrived(incoming: IncomingMessage, bytes: number): Promise<void> {
  let count = 0;
  await new Promise<void>((resolve) => {
    incoming.on('data', (chunk: Buffer) => {
      count += chunk.length;
      if (count >= bytes) resolve();
    });
  });
}

it('receives a body that arrives in many pieces', async () => {
  const { begin } = await setUp();
  const receiveBody = receiver({ pendingBytesMax: bytesMax });
  const expected = Array.from({ length: 90 }, (_, at) => String.fromCodePoint(32 + at).repeat(1_000));
  const { client, incoming } = await begin(90_000, '');
  client.setNoDelay();
  const received = receiveBody(incoming, { ip: '192.0.2.1' }, textOf);
  for (const piece of expected) await new Promise((resolve) => client.write(piece, resolve));
  expect(await received).toBe(expected.join(''));
});

it('A5 ends with ClientGoneError when the client left before the body was read', async () => {
  const { begin } = await setUp();
  const receiveBody = receiver({ pendingBytesMax: bytesMax });
  const { client, incoming } = await begin(10, 'x');
  const closed = new Promise((resolve) => incoming.once('close', resolve));
  client.destroy();
  await closed;
  await expect(receiveBody(incoming, { ip: '192.0.2.1' }, textOf)).rejects.toThrow(ClientGoneError);
});

it('A5 leaves three quarters of the bytes to other addresses, whatever the limit of one body', async () => {
  const { begin } = await setUp();
  const receiveBody = receiver({ pendingBytesMax: bytesMax });
  const first = await begin(190_000, 'x'.repeat(180_000));
  const firstReceived = receiveBody(first.incoming, { ip: '192.0.2.1' }, textOf);
  await arrived(first.incoming, 180_000);
  const second = await begin(190_000, 'x'.repeat(190_000));
  expect(await receiveBody(second.incoming, { ip: '192.0.2.2' }, textOf)).toHaveLength(190_000);
  first.client.destroy();
  await expect(firstReceived).rejects.toThrow(ClientGoneError);
});

it('A5 a client that leaves frees its bytes at once', async () => {
  const { begin } = await setUp();
  const receiveBody = receiver({ pendingBytesMax: bytesMax });
  const first = await begin(190_000, 'x'.repeat(180_000));
  const firstReceived = receiveBody(first.incoming, { ip: '192.0.2.1' }, textOf);
  await arrived(first.incoming, 180_000);

  const second = await begin(190_000, 'x'.repeat(180_000));
  await expect(receiveBody(second.incoming, { ip: '192.0.2.1' }, textOf)).rejects.toThrow(BusyError);

  first.client.destroy();
  await expect(firstReceived).rejects.toThrow(ClientGoneError);
  const third = await begin(190_000, 'x'.repeat(190_000));
  expect(await receiveBody(third.incoming, { ip: '192.0.2.1' }, textOf)).toHaveLength(190_000);
});

it('A5 holds the bytes of a body until its use has ended', async () => {
  const { begin } = await setUp();
  const receiveBody = receiver({ pendingBytesMax: bytesMax });
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  let used = () => {};
  const isUsed = new Promise<void>((resolve) => (used = resolve));
  const first = await begin(190_000, 'x'.repeat(190_000));
  const firstReceived = receiveBody(first.incoming, { ip: '192.0.2.1' }, async () => {
    used();
    await finished;
  });
  await isUsed;
  const second = await begin(190_000, 'x'.repeat(180_000));
  await expect(receiveBody(second.incoming, { ip: '192.0.2.1' }, textOf)).rejects.toThrow(BusyError);
  finish();
  await firstReceived;
});

it('A5 one address holds a quarter of the memory at most, a /64 of IPv6 as one', async () => {
  const { begin } = await setUp();
  const receiveBody = receiver({ pendingBytesMax: 4 * bytesMax });
  const first = await begin(190_000, 'x'.repeat(180_000));
  void receiveBody(first.incoming, { ip: '2001:db8::1' }, textOf).catch(() => {});
  await arrived(first.incoming, 180_000);
  const second = await begin(190_000, 'x'.repeat(190_000));
  await expect(receiveBody(second.incoming, { ip: '2001:db8::2' }, textOf)).rejects.toThrow(BusyError);
  const third = await begin(190_000, 'x'.repeat(190_000));
  expect(await receiveBody(third.incoming, { ip: '2001:db8:0:1::1' }, textOf)).toHaveLength(190_000);
});

it('A5 a body that has shown a good key takes no memory from those without one', async () => {
  const { begin } = await setUp();
  const receiveBody = receiver({ pendingBytesMax: bytesMax });
  const beginnings: number[] = [];
  const first = await begin(190_000, 'x'.repeat(180_000));
  const findUser = async (beginning: Buffer) => {
    beginnings.push(beginning.length);
    return 'user 3';
  };
  const firstReceived = receiveBody(first.incoming, { ip: '192.0.2.1', findUser }, textOf);
  await arrived(first.incoming, 180_000);
  await turn();
  expect(beginnings).toEqual([65_536]);

  const second = await begin(190_000, 'x'.repeat(190_000));
  expect(await receiveBody(second.incoming, { ip: '192.0.2.1' }, textOf)).toHaveLength(190_000);
  first.client.write('x'.repeat(10_000));
  expect(await firstReceived).toHaveLength(190_000);
});

it('A5 ends a body that arrives too slowly', async () => {
  const { begin } = await setUp();
  const lowestRate = { bytes: 100, intervalMs: 20 };
  const receiveBody = receiver({ pendingBytesMax: bytesMax, lowestRate });
  const { incoming } = await begin(100, 'x');
  await expect(receiveBody(incoming, { ip: '192.0.2.1' }, textOf)).rejects.toThrow('Request body arrives too slowly');
});

it('A5 counts what has arrived while the event loop was late', async () => {
  const { begin } = await setUp();
  const lowestRate = { bytes: 100, intervalMs: 300 };
  const receiveBody = receiver({ pendingBytesMax: bytesMax, lowestRate });
  const { client, incoming } = await begin(150, 'x');
  const received = receiveBody(incoming, { ip: '192.0.2.1' }, textOf);
  client.write('x'.repeat(149));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
  expect(await received).toHaveLength(150);
});

describe('while another body without a key has its turn', () => {
  const neverMs = 2 ** 30;

  async function setUpSlice(waitMsMax: number) {
    const { begin } = await setUp();
    const receiveBody = receiver({ pendingBytesMax: 8 * bytesMax, sliceMs: neverMs, waitMsMax });
    const holder = await begin(70_000, 'x'.repeat(70_000));
    await receiveBody(holder.incoming, { ip: '192.0.2.1' }, textOf);
    const receive = async (length: number, findUser?: Sender['findUser']) => {
      const { incoming } = await begin(length, 'x'.repeat(length));
      return receiveBody(incoming, { ip: '192.0.2.1', ...(findUser && { findUser }) }, textOf);
    };
    return { receive };
  }

  it('A2 a long body without a good key is refused when its time to wait has passed', async () => {
    const { receive } = await setUpSlice(20);
    await expect(receive(190_000)).rejects.toThrow(BusyError);
    await expect(receive(190_000, async () => null)).rejects.toThrow(BusyError);
  });

  it('A2 bodies that are short or have shown a good key do not wait', async () => {
    const { receive } = await setUpSlice(neverMs);
    expect(await receive(60_000)).toHaveLength(60_000);
    expect(await receive(190_000, async () => 'user 3')).toHaveLength(190_000);
  });
});

it('A5 the time in which a body waits for its turn does not count towards its rate', async () => {
  const { begin } = await setUp();
  const lowestRate = { bytes: 1, intervalMs: 100 };
  const receiveBody = receiver({ pendingBytesMax: 8 * bytesMax, lowestRate, sliceMs: 500 });
  const [first, second] = [await begin(70_000, 'x'.repeat(70_000)), await begin(140_000, 'x'.repeat(140_000))];
  await receiveBody(first.incoming, { ip: '192.0.2.1' }, textOf);
  expect(await receiveBody(second.incoming, { ip: '192.0.2.1' }, textOf)).toHaveLength(140_000);
});
