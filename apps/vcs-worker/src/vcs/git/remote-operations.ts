import type { PulledReferences, PullOptions, VcsBackend } from '../backend.ts';
import { RemoteError } from '../remote/remote-error.ts';
import { VcsError } from '../vcs-error.ts';
import { checkObjects } from './check-objects.ts';
import { branchPrefix, chooseDefaultBranch, mendHead, readDefaultBranch } from './default-branch.ts';
import { discoverRefs, type DiscoveryOptions } from './discover-refs.ts';
import type { GitCommands } from './git-commands.ts';
import { remoteHead, remoteReferences, type Asking } from './list-remote.ts';
import { nameConflict } from './protocol/reference-rules.ts';
import { updateReferences } from './protocol/update-references.ts';
import { planPull, tagPrefix, type PullPlan, type References } from './pull-plan.ts';
import { syncPacks, syncReferences } from './sync-references.ts';
import { withRemote, type GitRemoteOptions } from './with-remote.ts';

export type RemoteOptions = GitRemoteOptions & DiscoveryOptions;

/** Commands on the repository: `writing` ones sync what they write, and may take as long as a fetch. */
export interface RemoteCommands {
  readonly git: GitCommands;
  readonly writing: GitCommands;
}

const fetch = ['fetch', '--progress', '--no-write-fetch-head', '--no-tags', '--update-head-ok'];
const everything = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];
/** How often one pull begins anew, because the remote has replaced a branch meanwhile. */
const triesMax = 3;

/** Returns the branches and tags of a repository. */
async function localReferences(git: GitCommands, path: string): Promise<References> {
  const format = '--format=%(objectname) %(refname)';
  const listed = await git.run(path, ['for-each-ref', format, branchPrefix, tagPrefix]);
  const lines = listed.toString('latin1').split('\n').filter(Boolean);
  return new Map(lines.map((line) => [line.slice(41), line.slice(0, 40)]));
}

/** Returns whether all is here to which the new references lead. */
async function isComplete(git: GitCommands, path: string, { updates }: PullPlan): Promise<boolean> {
  const args = ['rev-list', '--objects', '--stdin', '--not', '--all', '--quiet'];
  const input = `${updates.map(({ to }) => to).join('\n')}\n`;
  return updates.length === 0 || (await git.tryRun(path, args, { input, mayBeLong: true })).exitCode === 0;
}

/** Changes the references at once; where a new name cannot be beside one that goes, those that go are removed before. */
async function changeReferences(
  git: GitCommands,
  path: string,
  { updates, removals }: PullPlan,
  here: References,
): Promise<void> {
  const isInTurn = nameConflict(here.keys(), updates) !== null;
  for (const changes of isInTurn ? [removals, updates] : [[...removals, ...updates]]) {
    if (changes.length === 0) continue;
    const refusal = await updateReferences(git, path, changes, 'latin1');
    if (refusal !== null) throw new VcsError('failed', `git update-ref: ${refusal}`);
  }
  const names = [...updates, ...removals].map(({ name }) => Buffer.from(name, 'latin1').toString('utf8'));
  await syncReferences(path, names);
}

/** Creates the part of the git back end for remotes: isomorphic-git lists their references, native git fetches. */
export function createRemoteOperations(
  { git, writing }: RemoteCommands,
  options: RemoteOptions,
  init: VcsBackend['init'],
): Pick<VcsBackend, 'checkRemote' | 'importFrom' | 'pull'> {
  const checking = { limits: options.limits.fetch, timeoutMs: options.timeoutMs };

  /** Pulls once; returns null when the remote has changed so meanwhile that it has to be asked again. */
  const tryPull = async (
    path: string,
    asking: Asking,
    { beforeWriting, prunes = false }: PullOptions,
  ): Promise<PulledReferences | null> => {
    const { remote, signal, run } = asking;
    const { references: there, isServedByGit } = await remoteReferences(asking, path);
    const [here, branch] = await Promise.all([localReferences(git, path), readDefaultBranch(path)]);
    const head = branch === null ? null : Buffer.from(`${branchPrefix}${branch}`).toString('latin1');
    const plan = planPull({ there, here, prunes, head });
    const hasHead = head !== null && plan.names.has(head);
    const needsHead = !hasHead && [...plan.names].some((name) => name.startsWith(branchPrefix));
    if (plan.updates.length + plan.removals.length === 0 && !needsHead) return plan.pulled;
    const wished = needsHead ? (await remoteHead(asking, path)).branch : null;
    await beforeWriting?.();
    if (plan.updates.length > 0) {
      // The objects alone: references are changed below, to what was listed, once it is known to be here.
      await run(path, [...fetch, '--dry-run', '--end-of-options', remote.url, ...everything]);
      if (!(await isComplete(writing, path, plan))) return null;
      const ids = plan.updates.flatMap(({ to }) => to ?? []);
      if (!isServedByGit) await checkObjects(git, checking, path, { ids, known: here.values() }, signal);
      await syncPacks(path);
    }
    await changeReferences(writing, path, plan, here);
    if (needsHead) await mendHead(writing, path, wished);
    return plan.pulled;
  };

  return {
    async checkRemote(remote, signal) {
      if ((await discoverRefs(options, remote, 'HEAD', signal)) !== null) return;
      const brief = { ...options, timeoutMs: options.checkTimeoutMs };
      const list = ['ls-remote', '--symref', '--end-of-options', remote.url, 'HEAD'];
      await withRemote(git, brief, remote, signal, (run) => run('/nonexistent', list));
    },
    async importFrom(path, repositoryUuid, remote, signal, report) {
      await init(path, repositoryUuid);
      await withRemote(git, { ...options, report }, remote, signal, async (run) => {
        const asking = { options, remote, signal, run };
        const { branch, isServedByGit } = await remoteHead(asking, path);
        await run(path, [...fetch, '--end-of-options', remote.url, ...everything]);
        if (!isServedByGit) {
          const ids = (await localReferences(git, path)).values();
          await checkObjects(git, checking, path, { ids, known: [] }, signal);
        }
        await chooseDefaultBranch(writing, path, branch);
      });
    },
    pull: (path, remote, signal, { report, ...own } = {}) =>
      withRemote(git, { ...options, report }, remote, signal, async (run) => {
        for (let tries = 1; tries <= triesMax; tries += 1) {
          const pulled = await tryPull(path, { options, remote, signal, run }, own);
          if (pulled) return pulled;
        }
        throw new RemoteError('broken remote', 'its references do not lead to what it sends');
      }),
  };
}
