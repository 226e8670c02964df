import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

const piece = Buffer.alloc(16 * 1024, 'x');
const everyMs = 50;

/** Sends bodies that never end, each until it is answered or its connection is closed. */
export async function endless({ baseUrls, connections, headers }, signal, count) {
  const post = async (index) => {
    while (!signal.aborted) {
      const sent = request(`${baseUrls[index % baseUrls.length]}/_admin/api`, { headers, method: 'POST', signal });
      const answer = { outcome: null };
      void once(sent, 'response').then(
        ([response]) => {
          response.resume();
          answer.outcome = String(response.statusCode);
        },
        () => (answer.outcome = 'closed'),
      );
      sent.write('{"id":1,"x":"');
      while (answer.outcome === null) {
        sent.write(piece);
        await wait(everyMs);
      }
      sent.destroy();
      count(answer.outcome);
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, index) => post(index)));
}
