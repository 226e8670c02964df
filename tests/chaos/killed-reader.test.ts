import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { subjects } from '@trunkline/contracts';
import { expect, inject, it } from 'vitest';
import { connectBusUser } from '../harness/bus-user.ts';
import { createClient } from '../harness/client.ts';
import { startCluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { holdingGit } from '../harness/holding-git.ts';
import { makeGitRemote } from '../harness/remotes.ts';
import { mainBranch, someFile } from '../harness/unique-name.ts';

it('C6 a slow read is run once, and again by another worker when its own is killed', { timeout: 120_000 }, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-held-'));
  const cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  const remote = await makeGitRemote();
  const bus = await connectBusUser(cluster.nats.url);
  try {
    const admin = createClient(cluster.baseUrl, cluster.adminKey);
    const rawId = await remote.commit({ [someFile]: '1' });
    await admin.result('create_repo', { repo_name: 'read', repo_type: 'git', clone_uri: remote.url });
    await cluster.workers[0]?.stop();
    await writeFile(join(directory, 'hold'), '');
    const holding = await cluster.startWorker({ TRUNKLINE_GIT_COMMAND: await holdingGit(directory, 'refs/heads/') });
    const { messages } = await bus.listen(subjects.runningReads);
    const call = admin.call('get_repo_refs', { repoid: 'read' });
    call.catch(() => {});
    await eventually(
      async () => existsSync(join(directory, 'held')),
      (isHeld) => isHeld,
    );
    await cluster.startWorker();
    // The gateway has asked for the read more often than a lost one.
    await eventually(
      async () => messages.length,
      (count) => count >= 4,
    );
    expect(await readFile(join(directory, 'held'), 'utf8')).toBe('\n');
    await holding.kill();
    expect(await call).toMatchObject({ error: null, result: { branches: { [mainBranch]: rawId } } });
  } finally {
    await bus.close();
    await cluster.kill();
    await remote.close();
    await rm(directory, { recursive: true, force: true });
  }
});
