import { once } from 'node:events';
import { createServer, request, type ClientRequest, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { containErrors } from '@trunkline/runtime';
import { afterEach, expect, it, vi } from 'vitest';
import { Admission, type AdmissionOptions } from './admission.ts';
import { paced } from './paced.ts';
import { ClientDemand } from './client-demand.ts';

const waitMs = { timeout: 20_000 };
const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

/** Starts a server whose requests have their source in the header `source` and are answered by the test. */
async function setUp(
  answer: (outgoing: ServerResponse, source: string) => void = () => {},
  options: Pick<AdmissionOptions, 'waitMsMax'> = {},
) {
  const state = { isOverloaded: false, skippedMs: 0 };
  const admission = new Admission({
    sourceOf: ({ headers }) => String(headers['source']),
    isOverloaded: () => state.isOverloaded,
    demand: new ClientDemand(() => performance.now() + state.skippedMs),
    ...options,
  });
  const running: { readonly source: string; readonly outgoing: ServerResponse }[] = [];
  const server = createServer(
    containErrors(
      admission.admit((incoming, outgoing) => {
        const source = String(incoming.headers['source']);
        running.push({ source, outgoing });
        answer(outgoing, source);
      }),
      () => {},
    ),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const send = (source: string, path = '/'): ClientRequest => {
    const sent = request({ host: '127.0.0.1', port, path, headers: { source }, agent: false });
    sent.on('error', () => {});
    return sent.end();
  };
  /** Sends the head of a request alone. */
  const post = (source: string, path: string) => {
    const headers = { source, 'content-length': 10 };
    const sent = request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false });
    sent.on('error', () => {});
    sent.flushHeaders();
  };
  cleanUps.push(() => {
    admission.close();
    server.closeAllConnections();
    server.close();
  });
  const runs = (source: string) => running.filter((one) => one.source === source);
  return { state, admission, send, post, running, runs };
}

/** Has a greedy client send requests, which nobody answers, beside an interactive client, until many of them wait. */
async function overload({ state, send, admission }: Awaited<ReturnType<typeof setUp>>) {
  const lightly = setInterval(() => send('interactive'), 200);
  cleanUps.push(() => clearInterval(lightly));
  await once(send('interactive'), 'response');
  state.isOverloaded = true;
  let sent = 0;
  const sendMore = () => {
    for (let index = 0; index < 10; index += 1) send('greedy');
    sent += 10;
    expect(admission.waiting).toBeGreaterThan(50);
  };
  await vi.waitFor(sendMore, { timeout: 20_000 });
  return { sent, beCalm: () => clearInterval(lightly) };
}

const answerLight = (outgoing: ServerResponse, source: string) => {
  if (source !== 'greedy') outgoing.end();
};

it('E6 lets requests of a heavy source wait under overload, and those of a light source pass', async () => {
  const tools = await setUp(answerLight);
  const { sent } = await overload(tools);
  await once(tools.send('other'), 'response');
  expect(tools.runs('greedy').length).toBeLessThan(sent - 20);
});

it('E6 runs one at a time the requests that have waited too long, and at once those whose body has yet to arrive', async () => {
  const tools = await setUp(answerLight, { waitMsMax: 50 });
  // Many requests could not wait at once if all went on after this time.
  const { sent } = await overload(tools);
  tools.post('greedy', '/begun');
  await vi.waitFor(() => expect(tools.running.map(({ outgoing }) => outgoing.req.url)).toContain('/begun'), waitMs);
  expect(tools.runs('greedy').length).toBeLessThan(sent - 20);
});

it('admits all requests once the overload has ended and nobody light is there', async () => {
  const tools = await setUp(answerLight);
  const { sent, beCalm } = await overload(tools);
  beCalm();
  tools.state.skippedMs = 60_000;
  await vi.waitFor(() => expect(tools.runs('greedy')).toHaveLength(sent), { timeout: 60_000 });
  expect(tools.admission.waiting).toBe(0);
}, 90_000);

it('forgets a request whose client has gone, and never runs it', async () => {
  const tools = await setUp(answerLight);
  await overload(tools);
  const waiting = Array.from({ length: 20 }, () => tools.send('greedy', '/gone'));
  await once(tools.send('other'), 'response');
  const before = tools.admission.waiting;
  for (const sent of waiting) sent.destroy();
  await vi.waitFor(() => expect(tools.admission.waiting).toBeLessThanOrEqual(before - 20), { timeout: 30_000 });
  expect(tools.running.some(({ outgoing }) => outgoing.req.url === '/gone')).toBe(false);
});

it('health checks are neither delayed nor counted', async () => {
  const { send, admission, running } = await setUp((outgoing) => outgoing.end());
  for (let index = 0; index < 20; index += 1) await once(send('balancer', '/healthz'), 'response');
  expect(running).toHaveLength(20);
  expect(admission.waiting).toBe(0);
});

it('sends a light source a long response under overload without turns', async () => {
  const bytesMax = 20 * 1024 * 1024;
  const pieces = async function* () {
    for (let bytes = 0; bytes < bytesMax; bytes += 65_536) yield Buffer.alloc(65_536, 'x');
  };
  const tools = await setUp((outgoing, source) => {
    if (source === 'reader') void pipeline(pieces(), paced(outgoing), outgoing);
    else answerLight(outgoing, source);
  });
  await overload(tools);
  const [response] = await once(tools.send('reader'), 'response');
  let bytes = 0;
  for await (const received of response) bytes += (received as Buffer).length;
  // Eighty turns would take longer than the test may.
  expect(bytes).toBe(bytesMax);
});

it('sends a long response whole, whatever its pace', async () => {
  const piece = Buffer.alloc(200 * 1024, 'x');
  const pieces = async function* () {
    for (let index = 0; index < 10; index += 1) yield piece;
  };
  const { send } = await setUp((outgoing) => void pipeline(pieces(), paced(outgoing), outgoing));
  const [response] = await once(send('reader'), 'response');
  let bytes = 0;
  for await (const received of response) bytes += (received as Buffer).length;
  expect(bytes).toBe(10 * piece.length);
});
