import type { VcsBackend } from '../backend.ts';
import type { Remote } from '../remote/remote.ts';
import { discoverRefs, type DiscoveryOptions } from './discover-refs.ts';
import type { GitCommands } from './git-commands.ts';
import { withRemote, type GitRemoteOptions } from './with-remote.ts';

export type RemoteOptions = GitRemoteOptions & DiscoveryOptions;

const listHead = ['ls-remote', '--symref', '--end-of-options'];
const fetch = ['fetch', '--progress', '--no-write-fetch-head'];
const heads = '+refs/heads/*:refs/heads/*';
const tags = '+refs/tags/*:refs/tags/*';

/** The branch that a remote's HEAD stands for, from the answer to `ls-remote --symref`. */
function headBranch(answer: string): string | undefined {
  return /^ref: (refs\/heads\/[^\s]+)\tHEAD$/m.exec(answer)?.[1];
}

/** What git does with remotes: isomorphic-git asks what they have, native git brings it. */
export function createRemoteOperations(
  git: GitCommands,
  options: RemoteOptions,
  init: VcsBackend['init'],
): Pick<VcsBackend, 'checkRemote' | 'importFrom' | 'pull'> {
  /** Null where git itself has to ask, or may fare better. */
  const tryDiscover = (remote: Remote, prefix: string, signal: AbortSignal) =>
    discoverRefs(options, remote, prefix, signal).catch((error: unknown) => {
      if (signal.aborted) throw error;
      return null;
    });

  const hasNothingNew = async (path: string, remote: Remote, signal: AbortSignal) => {
    const theirs = await tryDiscover(remote, 'refs/heads/', signal);
    if (theirs === null) return false;
    const ours = await git.read(path, ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads']);
    const known = new Set(ours.toString('utf8').split('\n'));
    return theirs.every(({ oid, ref }) => known.has(`${oid} ${ref}`));
  };

  return {
    async checkRemote(remote, signal) {
      if ((await discoverRefs(options, remote, 'HEAD', signal)) !== null) return;
      const brief = { ...options, timeoutMs: options.checkTimeoutMs };
      await withRemote(git, brief, remote, signal, (run) => run('/nonexistent', [...listHead, remote.url, 'HEAD']));
    },
    async importFrom(path, repositoryUuid, remote, signal, report) {
      await init(path, repositoryUuid);
      const refs = await tryDiscover(remote, 'HEAD', signal);
      await withRemote(git, { ...options, report }, remote, signal, async (run) => {
        const head = refs
          ? refs.find(({ ref }) => ref === 'HEAD')?.target
          : headBranch(await run(path, [...listHead, remote.url, 'HEAD']));
        await run(path, [...fetch, '--end-of-options', remote.url, heads, tags]);
        if (head?.startsWith('refs/heads/')) await git.read(path, ['symbolic-ref', 'HEAD', head]);
      });
    },
    async pull(path, remote, signal, report) {
      if (await hasNothingNew(path, remote, signal)) return;
      const args = [...fetch, '--no-tags', '--update-head-ok', '--end-of-options', remote.url, heads];
      await withRemote(git, { ...options, report }, remote, signal, (run) => run(path, args));
    },
  };
}
