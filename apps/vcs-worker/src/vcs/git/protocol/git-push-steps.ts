import { mkdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncDirectory } from '../../../storage/durable.ts';
import { PushRefusedError, PushUnsettledError, type NameChange, type PushSteps } from '../../push.ts';
import { branchPrefix, mendHeadAsWriter, readDefaultBranch } from '../default-branch.ts';
import type { GitCommands } from '../git-commands.ts';
import { syncReferences } from '../sync-references.ts';
import { removeStale } from '../unfinished-files.ts';
import { packsOf } from './receive-pack.ts';
import { nameConflict, requireFewReferences } from './reference-rules.ts';
import { updateReferences } from './update-references.ts';

/** Names that one command line has; beyond that all references are listed. */
const namedMax = 200;

type Changes = readonly NameChange[];

/** Returns the ids of these references, or of all; those that do not exist are absent. */
async function readReferences(git: GitCommands, path: string, names: readonly string[] = []) {
  const named = names.length > namedMax ? [] : names;
  const listed = await git.run(path, ['for-each-ref', '--format=%(objectname) %(refname)', ...named]);
  const lines = listed.toString('utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => [line.slice(41), line.slice(0, 40)]));
}

/** Throws PushRefusedError when a push deletes the branch that clones check out. */
export async function requireDefaultBranch(path: string, changes: Changes): Promise<void> {
  if (changes.every(({ to }) => to !== null)) return;
  const branch = await readDefaultBranch(path);
  const deleted = changes.find(
    ({ name, from, to }) => name === `${branchPrefix}${branch}` && from !== null && to === null,
  );
  if (!deleted) return;
  const text =
    'the default branch cannot be deleted: choose another one first, on the settings page of the repository or ' +
    'with update_repo and default_branch';
  throw new PushRefusedError(text, { reasons: new Map([[deleted.name, text]]) });
}

const notSoText = 'git cannot change the references so';
const existsText = (created: string, existing: string) => `${created} cannot be created, since ${existing} exists`;

function updateRefusal(stderr: string): PushRefusedError {
  const [, existing, created] = /'(refs\/[^']+)' exists; cannot create '(refs\/[^']+)'/.exec(stderr) ?? [];
  const text = existing === undefined || created === undefined ? notSoText : existsText(created, existing);
  return new PushRefusedError(text, { cause: new Error(stderr) });
}

/** Throws PushRefusedError for references that cannot be there together. */
function requireNoConflict(existing: Iterable<string>, changes: Changes): void {
  const conflict = nameConflict(existing, changes);
  if (conflict === null) return;
  throw new PushRefusedError(conflict.isThere ? existsText(conflict.created, conflict.other) : notSoText);
}

/** Creates the steps by which a received push becomes visible in a git repository. */
export function createGitPushSteps(git: GitCommands): PushSteps {
  const changeNames = async (path: string, changes: Changes) => {
    const refusal = await updateReferences(git, path, changes);
    if (refusal !== null) throw updateRefusal(refusal);
  };
  const currentOf = (path: string, changes: Changes) =>
    readReferences(
      git,
      path,
      changes.map(({ name }) => name),
    );

  return {
    changeNames: (path, { changes }) => changeNames(path, changes),
    async prepare(path, { changes }) {
      await requireDefaultBranch(path, changes);
      await requireFewReferences(git, path, changes);
      const creates = changes.some(({ from }) => from === null);
      const current = await (creates ? readReferences(git, path) : currentOf(path, changes));
      const changed = changes.filter(({ name, from }) => (current.get(name) ?? null) !== from);
      if (changed.length > 0) {
        const text = 'the reference has changed meanwhile, fetch first';
        throw new PushRefusedError(text, { reasons: new Map(changed.map(({ name }) => [name, text])) });
      }
      requireNoConflict(current.keys(), changes);
    },
    async moveObjects(path, { directory }) {
      const to = join(path, 'objects/pack');
      const firstCreated = await mkdir(to, { recursive: true });
      const files = await packsOf(directory);
      for (const file of files) await rename(file, join(to, basename(file)));
      if (files.length > 0) await syncDirectory(to);
      // A new repository has no directory of packs.
      if (firstCreated !== undefined) await syncDirectory(dirname(firstCreated));
    },
    async finish(path, { changes }) {
      if (changes.some(({ name, to }) => to !== null && name.startsWith(branchPrefix)))
        await mendHeadAsWriter(git, path);
      await syncReferences(
        path,
        changes.map(({ name }) => name),
      );
    },
    async settle(path, { changes }) {
      await removeStale(path);
      const current = await currentOf(path, changes);
      const isAs = ({ name }: NameChange, id: string | null) => (current.get(name) ?? null) === id;
      if (!changes.some((change) => isAs(change, change.to))) return false;
      const left = changes.filter((change) => !isAs(change, change.to));
      if (!left.every((change) => isAs(change, change.from))) {
        throw new PushUnsettledError('references of an interrupted push have neither their old nor their new ids');
      }
      if (left.length > 0) await changeNames(path, left);
      return true;
    },
  };
}
