import type { PulledReferences, PullOptions, VcsBackend } from '../backend.ts';
import { pushEnvironment } from '../process/child-environment.ts';
import { RemoteError } from '../remote/remote-error.ts';
import { VcsError } from '../vcs-error.ts';
import { branchPrefix, chooseDefaultBranch, mendHeadAsWriter, readDefaultBranch } from './default-branch.ts';
import { discoverRefs, type DiscoveryOptions } from './discover-refs.ts';
import type { GitCommands } from './git-commands.ts';
import { remoteHead, remoteReferences, type Asking } from './list-remote.ts';
import { nameConflict } from './protocol/reference-rules.ts';
import { updateReferences } from './protocol/update-references.ts';
import { planPull, tagPrefix, type PullPlan, type References } from './pull-plan.ts';
import { storeChecked, withQuarantine, type NewObjects } from './store-checked.ts';
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

/** Returns whether all is here to which these ids lead. */
async function isComplete(
  git: GitCommands,
  path: string,
  ids: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  const args = ['rev-list', '--objects', '--stdin', '--not', '--all', '--quiet'];
  const input = `${ids.join('\n')}\n`;
  return (await git.tryRun(path, args, { input, mayBeLong: true, env })).exitCode === 0;
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

interface Once extends PullOptions {
  /** Whether the repository is a new copy, whose HEAD follows that of the remote. */
  readonly isNew?: boolean;
}

/** Creates the part of the git back end for remotes: isomorphic-git lists their references, native git fetches. */
export function createRemoteOperations(
  { git, writing }: RemoteCommands,
  options: RemoteOptions,
  init: VcsBackend['init'],
): Pick<VcsBackend, 'checkRemote' | 'importFrom' | 'pull'> {
  const storing = { limits: options.limits.fetch, timeoutMs: options.timeoutMs };

  /**
   * Fetches objects alone, and stores them once they are checked: references are changed later, to what was listed, once it is
   * known to be here. Returns false when it is not, since the remote has changed meanwhile.
   */
  const fetchObjects = async (path: string, { remote, signal, run }: Asking, objects: NewObjects): Promise<boolean> =>
    withQuarantine(path, async (variables) => {
      await run(path, [...fetch, '--dry-run', '--end-of-options', remote.url, ...everything], variables);
      const env = { ...pushEnvironment(), ...variables };
      if (!(await isComplete(writing, path, objects.ids, env))) return false;
      await storeChecked(git, { ...storing, env }, path, objects, signal);
      return true;
    });

  /** Pulls once; returns null when the remote has changed so meanwhile that it has to be asked again. */
  const tryPull = async (
    path: string,
    asking: Asking,
    { beforeWriting, prunes = false, isNew = false }: Once,
  ): Promise<PulledReferences | null> => {
    const there = await remoteReferences(asking, path);
    const [here, branch] = await Promise.all([localReferences(git, path), readDefaultBranch(path)]);
    const head = branch === null ? null : Buffer.from(`${branchPrefix}${branch}`).toString('latin1');
    const plan = planPull({ there, here, prunes, head });
    const hasHead = head !== null && plan.names.has(head);
    const needsHead = isNew || (!hasHead && [...plan.names].some((name) => name.startsWith(branchPrefix)));
    if (plan.updates.length + plan.removals.length === 0 && !needsHead) return plan.pulled;
    const wished = needsHead ? await remoteHead(asking, path) : null;
    await beforeWriting?.();
    const ids = plan.updates.flatMap(({ to }) => to ?? []);
    if (ids.length > 0) {
      if (!(await fetchObjects(path, asking, { ids, known: [...here.values()] }))) return null;
      await syncPacks(path);
    }
    await changeReferences(writing, path, plan, here);
    if (isNew) await chooseDefaultBranch(writing, path, wished);
    else if (needsHead) await mendHeadAsWriter(writing, path, wished);
    return plan.pulled;
  };

  const pull = async (path: string, asking: Asking, own: Once): Promise<PulledReferences> => {
    for (let tries = 1; tries <= triesMax; tries += 1) {
      const pulled = await tryPull(path, asking, own);
      if (pulled) return pulled;
    }
    throw new RemoteError('broken remote', 'its references do not lead to what it sends');
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
      await withRemote(git, { ...options, report }, remote, signal, (run) =>
        pull(path, { options, remote, signal, run }, { isNew: true }),
      );
    },
    pull: (path, remote, signal, { report, ...own } = {}) =>
      withRemote(git, { ...options, report }, remote, signal, (run) =>
        pull(path, { options, remote, signal, run }, own),
      ),
  };
}
