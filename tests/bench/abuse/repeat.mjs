import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

const errorOf = /"error":"([^"`]*)[^"]*"\}$/;
const operationId = /[0-9a-f-]{36}/;

/** Sends one request and reads the whole answer; returns the status, and the error of a call. */
export async function send(url, { agent, method = 'GET', headers, body, signal }) {
  const response = await new Promise((resolve, reject) => {
    request(url, { agent, method, headers, signal }).on('response', resolve).on('error', reject).end(body);
  });
  let tail = '';
  for await (const chunk of response) {
    tail = (tail + chunk.toString('latin1')).slice(-300);
  }
  return { status: response.statusCode, error: errorOf.exec(tail.trimEnd())?.[1].replace(operationId, '…') };
}

/**
 * Sends some requests in turn on each of the connections, again and again; with `hangUpMs`, the connection is closed
 * after that time. `what` is the name under which the outcomes are counted.
 */
export async function repeat({ what, baseUrls, connections, requests, hangUpMs }, signal, count) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections * baseUrls.length });
  const loop = async (index) => {
    for (let turn = index; !signal.aborted; turn += 1) {
      const { path, ...options } = requests[turn % requests.length];
      const own = hangUpMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(hangUpMs)]);
      try {
        const url = baseUrls[turn % baseUrls.length] + path;
        const { status, error } = await send(url, { agent, ...options, signal: own });
        count(`${what} ${error ?? status}`);
      } catch {
        count(`${what} ended`);
        // Yields when connections are refused at once.
        await wait(1);
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, index) => loop(index)));
  agent.destroy();
}
