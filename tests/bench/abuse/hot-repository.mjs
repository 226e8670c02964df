import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { send } from './repeat.mjs';

const batches = 20;

/** Calls for the directories of one repository so many times a second, a twentieth of the calls at once. */
export async function hotRepository({ url, apiKey, repoid, directories, perSecond }, signal, count) {
  const agent = new Agent({ keepAlive: true, maxSockets: perSecond });
  let [sent, open] = [0, 0];
  const call = async (index) => {
    open += 1;
    const args = { repoid, revision: 'tip', root_path: `dir-${index % directories}` };
    const body = JSON.stringify({ id: 1, api_key: apiKey, method: 'get_repo_nodes', args });
    const answer = await send(url, { agent, method: 'POST', body, signal }).catch(() => null);
    open -= 1;
    count(answer === null ? 'lost' : (answer.error ?? 'served'));
  };
  for (let batch = 1, began = performance.now(); !signal.aborted; batch += 1) {
    const more = Math.min(perSecond / batches, perSecond - open);
    for (let n = 0; n < more; n += 1) void call((sent += 1));
    await wait(began + batch * (1_000 / batches) - performance.now(), undefined, { signal }).catch(() => {});
  }
  agent.destroy();
}
