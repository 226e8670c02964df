import type { VcsBackend } from '../backend.ts';
import type { Report } from '../progress.ts';
import type { Remote } from '../remote/parse-remote.ts';
import { RemoteError } from '../remote/remote-error.ts';
import { discoverRefs, type DiscoveryOptions } from './discover-refs.ts';
import type { GitCommands } from './git-commands.ts';
import { syncFetched } from './sync-references.ts';
import { withRemote, type GitRemoteOptions } from './with-remote.ts';

export type RemoteOptions = GitRemoteOptions & DiscoveryOptions;

const listHead = ['ls-remote', '--symref', '--end-of-options'];
const listHeads = ['ls-remote', '--heads', '--end-of-options'];
const fetch = ['fetch', '--progress', '--no-write-fetch-head'];
const heads = '+refs/heads/*:refs/heads/*';
const tags = '+refs/tags/*:refs/tags/*';

/** Returns the branch that a remote's HEAD points to, from the output of `ls-remote --symref`. */
function headBranch(answer: string): string | undefined {
  return /^ref: (refs\/heads\/[^\s]+)\tHEAD$/m.exec(answer)?.[1];
}

/** Converts the output of `ls-remote` to lines `<id> <ref>`, which are compared with those of `for-each-ref`. */
function toLines(answer: string): string[] {
  return answer.split('\n').flatMap((line) => (line ? [line.replace('\t', ' ')] : []));
}

/** Returns whether native git, with wider limits and support for more servers, may succeed where discovery failed. */
function isWorthAskingGit(error: unknown): boolean {
  return !(error instanceof RemoteError) || error.failure === 'broken remote';
}

/** Creates the part of the git back end for remotes: isomorphic-git lists their refs, native git fetches. */
export function createRemoteOperations(
  git: GitCommands,
  options: RemoteOptions,
  init: VcsBackend['init'],
): Pick<VcsBackend, 'checkRemote' | 'importFrom' | 'pull'> {
  /** Lists refs; returns null when native git has to ask the remote itself, or may succeed where discovery failed. */
  const tryDiscover = (remote: Remote, prefix: string, signal: AbortSignal) =>
    discoverRefs(options, remote, prefix, signal).catch((error: unknown) => {
      if (signal.aborted || !isWorthAskingGit(error)) throw error;
      return null;
    });

  /** Returns the options of a fetch, with the time left: discovery and fetch share one time limit. */
  const withTimeLeft = (started: number, report: Report | undefined) => ({
    ...options,
    timeoutMs: options.timeoutMs - (performance.now() - started),
    report,
  });

  /** Returns the branches of a repository, as lines `<id> <ref>`. */
  const branchesOf = async (path: string) => {
    const listed = await git.run(path, ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads']);
    return new Set(listed.toString('utf8').split('\n').filter(Boolean));
  };

  return {
    async checkRemote(remote, signal) {
      if ((await discoverRefs(options, remote, 'HEAD', signal)) !== null) return;
      const brief = { ...options, timeoutMs: options.checkTimeoutMs };
      await withRemote(git, brief, remote, signal, (run) => run('/nonexistent', [...listHead, remote.url, 'HEAD']));
    },
    async importFrom(path, repositoryUuid, remote, signal, report) {
      await init(path, repositoryUuid);
      const started = performance.now();
      const refs = await tryDiscover(remote, 'HEAD', signal);
      await withRemote(git, withTimeLeft(started, report), remote, signal, async (run) => {
        const head = refs
          ? refs.find(({ ref }) => ref === 'HEAD')?.target
          : headBranch(await run(path, [...listHead, remote.url, 'HEAD']));
        await run(path, [...fetch, '--end-of-options', remote.url, heads, tags]);
        if (head?.startsWith('refs/heads/')) await git.run(path, ['symbolic-ref', 'HEAD', head]);
      });
    },
    async pull(path, remote, signal, { report, beforeWriting } = {}) {
      const started = performance.now();
      const refs = await tryDiscover(remote, 'refs/heads/', signal);
      await withRemote(git, withTimeLeft(started, report), remote, signal, async (run) => {
        const remoteRefs = refs
          ? refs.map(({ oid, ref }) => `${oid} ${ref}`)
          : toLines(await run(path, [...listHeads, remote.url]));
        const known = await branchesOf(path);
        if (remoteRefs.every((line) => known.has(line))) return;
        await beforeWriting?.();
        await run(path, [...fetch, '--no-tags', '--update-head-ok', '--end-of-options', remote.url, heads]);
        const changed = [...(await branchesOf(path))].filter((line) => !known.has(line));
        await syncFetched(
          path,
          changed.map((line) => line.slice(41)),
        );
      });
    },
  };
}
