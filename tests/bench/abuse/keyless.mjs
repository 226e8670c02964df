import { Agent } from 'node:http';
import { send } from './repeat.mjs';

function bodyOf(bytes) {
  const objects = [];
  for (let length = 0; length < bytes; length += objects.at(-1).length + 1) objects.push(`{"a${objects.length}":0}`);
  return Buffer.from(`{"id":1,"x":[${objects.join(',')}]}`);
}

/** Posts a megabyte of small objects without a key on some connections, again and again. */
export async function keyless({ baseUrls, connections, headers }, signal, count) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const body = bodyOf(1_000_000);
  const post = async (index) => {
    const url = `${baseUrls[index % baseUrls.length]}/_admin/api`;
    while (!signal.aborted) {
      const answer = await send(url, { agent, headers, method: 'POST', body, signal }).catch(() => null);
      count(answer?.error ?? 'lost');
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, index) => post(index)));
  agent.destroy();
}
