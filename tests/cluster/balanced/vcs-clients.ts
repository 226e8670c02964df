import { join } from 'node:path';
import { startActing, type Acting } from '../../harness/acting.ts';
import { clientTools } from '../../harness/client-tools.ts';
import { CloningClient } from '../../harness/cloner.ts';
import { PushingClient } from '../../harness/pusher.ts';
import { git, hg } from '../../harness/remotes.ts';
import { mainBranch } from '../../harness/unique-name.ts';
import type { BalancedCluster } from './balanced-cluster.ts';

/** Clients of git and Mercurial that push, clone and fetch through the balancer. */
export interface VcsClients {
  start(): void;
  /** Ends after what each of them is doing. */
  stop(): Promise<void>;
  /** What they said of what failed so far. */
  failures(): string[];
  /** Number of pushes, and of clones and fetches, that succeeded. */
  counts(): { readonly pushes: number; readonly clones: number };
  /** Finds differences between what they were told, the repositories, the audit log and their clones. */
  findFaults(): Promise<string[]>;
}

async function makePusher(balanced: BalancedCluster, type: 'hg' | 'git'): Promise<PushingClient> {
  const { admin, balancer, directory } = balanced;
  const name = `pushed-${type}`;
  await admin.result('create_repo', {
    repo_name: name,
    repo_type: type,
    storage: type === 'git' ? 'default' : 'second',
  });
  const path = join(directory, type);
  if (type === 'git') await git(directory, 'init', '-q', '-b', mainBranch, path);
  else await hg(directory, 'init', path);
  const url = `http://api-key:${admin.apiKey}@${new URL(balancer.url).host}/${name}`;
  return new PushingClient(clientTools[type], { name, path, urls: [url] });
}

export async function makeVcsClients(balanced: BalancedCluster): Promise<VcsClients> {
  const pushers = [await makePusher(balanced, 'git'), await makePusher(balanced, 'hg')];
  const cloners = pushers.map((pusher) => new CloningClient(pusher, `${pusher.target.path}-clone`));
  let acting: Acting[] = [];
  return {
    start() {
      // Programs cost much more than calls, so that each client waits for another one.
      acting = [startActing(pushers.flatMap((pusher, at) => [pusher, ...cloners.slice(at, at + 1)]))];
    },
    async stop() {
      await Promise.all(acting.map((one) => one.stop()));
      acting = [];
    },
    failures: () => [...pushers, ...cloners].flatMap(({ failures }) => failures),
    counts: () => ({
      pushes: pushers.reduce((sum, { told }) => sum + told, 0),
      clones: cloners.reduce((sum, { succeeded }) => sum + succeeded, 0),
    }),
    async findFaults() {
      const { sql, cluster } = balanced;
      const found = [
        ...pushers.map((pusher) => pusher.findFaults(sql, cluster.storageRoots)),
        ...cloners.map((cloner) => cloner.findFaults()),
      ];
      return (await Promise.all(found)).flat();
    },
  };
}
