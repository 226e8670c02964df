import { methods } from '@trunkline/contracts';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { readExamples, writeExamples, type Examples } from '../docs/example-file.ts';
import { exampleScenario } from '../docs/example-scenario.ts';
import { createNormalizer } from '../docs/normalizer.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { makeGitRemote, type Remote } from '../harness/remotes.ts';
import { author, mainBranch } from '../harness/unique-name.ts';

const shownUrl = 'https://example.com/compiler';
const newest = 'the newest operation';

let cluster: Cluster;
let admin: Client;
let remote: Remote;

beforeAll(async () => {
  // Long enough that no fork or move goes on in the background.
  const env = { TRUNKLINE_FORK_WAIT: '25' };
  const options = { postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, storages: ['second'], env };
  cluster = await startCluster(options);
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  remote = await makeGitRemote();
  await remote.commit({ 'README.md': 'A compiler.\n', 'src/main.c': 'int main() {}\n' }, 'Begin');
});
afterAll(async () => {
  await remote.close();
  await cluster.stop();
});

/** Replaces the values that the documentation shows by those of this run. */
async function argsOfThisRun(args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const known: Record<string, unknown> = { [shownUrl]: remote.url };
  if (Object.values(args).includes(newest)) {
    const [last] = await admin.result<{ operation_id: string }[]>('list_operations', { limit: 1 });
    known[newest] = last?.operation_id;
  }
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, typeof value === 'string' ? (known[value] ?? value) : value]),
  );
}

it('the service returns the examples of the documentation', async () => {
  const normalize = createNormalizer();
  const exchanged: Examples = {};
  for (const [method, args] of exampleScenario) {
    const sent = await argsOfThisRun(args);
    const result: unknown = await admin.result(method, sent);
    const text = JSON.stringify({ args: sent, result }).replaceAll(remote.url, shownUrl);
    const shown: unknown = JSON.parse(text.replaceAll(author.name, 'Ann').replaceAll(mainBranch, 'main'));
    exchanged[method] ??= normalize(shown) as Examples[string];
  }
  expect(Object.keys(exchanged).toSorted()).toEqual(Object.keys(methods).toSorted());
  if (process.env['UPDATE_DOCS'] !== undefined) writeExamples(exchanged);
  expect(exchanged).toEqual(readExamples());
});
