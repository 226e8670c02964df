import { expect, inject, it } from 'vitest';
import { createClient } from '../harness/client.ts';
import { startCluster } from '../harness/cluster.ts';
import { makeGitRemote } from '../harness/remotes.ts';
import { mainBranch, someFile } from '../harness/unique-name.ts';

const dying = { NODE_ENV: 'test', TRUNKLINE_CRASH_AT: 'end.committed', TRUNKLINE_LOG_LEVEL: 'silent' };

const answered: readonly [string, object, unknown][] = [
  ['pull', { repoid: 'copy' }, 'Pulled from `copy`'],
  [
    'fork_repo',
    { repoid: 'source', fork_name: 'other' },
    { msg: 'Created fork of `source` as `other`', success: true, task: null },
  ],
  [
    'move_repo',
    { repoid: 'copy', storage: 'second' },
    { msg: 'Moved `copy` to storage `second`', success: true, task: null },
  ],
  [
    'delete_repo',
    { repoid: 'source', forks: 'detach' },
    { msg: 'Deleted repository `source` Detached 1 forks', success: true },
  ],
  [
    'update_repo',
    { repoid: 'copy', default_branch: mainBranch },
    {
      msg: expect.stringMatching(/^updated repo ID:\d+ copy$/),
      repository: expect.objectContaining({ locked_by: null }),
    },
  ],
  [
    'create_repo',
    { repo_name: 'made', repo_type: 'hg' },
    { msg: 'Created new repository `made`', repo: expect.objectContaining({ repo_name: 'made' }), task: null },
  ],
];

// Each has a cluster of its own, and waits for up to 20 seconds.
it.concurrent.each(answered)(
  'C6 the caller of an operation whose worker dies between its end and the answer is answered as if it were alive: %s',
  async (method, args, expected) => {
    const cluster = await startCluster({
      postgresUrl: inject('postgresUrl'),
      gateways: 1,
      workers: 1,
      storages: ['second'],
      env: { TRUNKLINE_LEASE_SECONDS: '3', TRUNKLINE_FORK_WAIT: '25' },
    });
    const remote = await makeGitRemote();
    try {
      const admin = createClient(cluster.baseUrl, cluster.adminKey);
      await remote.commit({ [someFile]: '1' });
      for (const repo_name of ['source', 'copy'])
        await admin.result('create_repo', {
          repo_name,
          repo_type: 'git',
          clone_uri: remote.url,
          storage: 'default',
        });
      await admin.result('fork_repo', { repoid: 'source', fork_name: 'fork' });
      await remote.commit({ [someFile]: '2' });
      await cluster.workers[0]?.stop();
      const worker = await cluster.startWorker(dying);
      const call = admin.call(method, args);
      expect(await worker.exited).toBe('SIGKILL');
      await cluster.startWorker();
      expect(await call).toMatchObject({ error: null, result: expected });
    } finally {
      await cluster.kill();
      await remote.close();
    }
  },
);
