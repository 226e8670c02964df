import { once } from 'node:events';
import { Agent, request } from 'node:http';

function bodyOf(bytes) {
  const objects = [];
  for (let length = 0; length < bytes; length += objects.at(-1).length + 1) objects.push(`{"a${objects.length}":0}`);
  return Buffer.from(`{"id":1,"x":[${objects.join(',')}]}`);
}

/** Posts a megabyte of small objects without a key on some connections, again and again. */
export async function keyless({ baseUrl, connections, headers }, signal, count) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const body = bodyOf(1_000_000);
  const post = async () => {
    while (!signal.aborted) {
      const sent = request(`${baseUrl}/_admin/api`, { agent, headers, method: 'POST', signal }).end(body);
      try {
        const [response] = await once(sent, 'response');
        let text = '';
        for await (const chunk of response) text += chunk;
        count(JSON.parse(text).error);
      } catch {
        count('lost');
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, post));
  agent.destroy();
}
