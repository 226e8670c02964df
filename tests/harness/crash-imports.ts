import { mkdtemp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { permissionId } from './kallithea/source-world.ts';
import { type Row, type Tables, writeSqlite } from './kallithea/write-source.ts';
import { type Act, type Case, find } from './crash-case.ts';
import { commitMore } from './kallithea/commit-more.ts';
import { makeBareGitOnDisk, makeHgOnDisk } from './repositories-on-disk.ts';
import { trunklinectl } from './trunklinectl.ts';

/** What the user `default` has: an import takes nothing from users here for the sake of such a source. */
const everything = ['repository.admin', 'group.admin', 'usergroup.admin', 'hg.create.repository', 'hg.fork.repository'];

/** Returns the database of another program with one repository, and no user beside `default`. */
function tablesOfOne({ name, type }: { readonly name: string; readonly type: 'hg' | 'git' }): Tables {
  const everyone: Row = { user_id: 1, username: 'default', password: '', active: false, admin: false, api_key: name };
  const columns = { repo_id: 1, repo_name: name, repo_type: type, user_id: 1, private: false, description: name };
  return {
    permissions: everything.map((permission_name) => ({
      permission_id: permissionId(permission_name),
      permission_name,
    })),
    users: [everyone],
    user_to_perm: everything.map((permission) => ({ user_id: 1, permission_id: permissionId(permission) })),
    repositories: [{ ...columns, statistics: false, downloads: true, landing_revision: 'rev:tip' }],
  };
}

interface Source {
  readonly directory: string;
  /** The newest changeset there. */
  readonly newest: string;
}

/** Other programs by the names of their cases, each with one repository. */
const sources = new Map<string, Source>();

const directoryOf = ({ name }: Case) => sources.get(name)?.directory ?? '';
const makers = { hg: makeHgOnDisk, git: makeBareGitOnDisk };

/** Imports the source of a case; returns the number of repositories that workers have not ended yet. */
async function runImport(one: Case, directory: string, seconds: number): Promise<number> {
  const { cluster } = one;
  const env = {
    TRUNKLINE_DATABASE_URL: cluster.database.workerUrl,
    TRUNKLINE_SECRET: cluster.secret,
    TRUNKLINE_STORAGE_ROOT: cluster.storageRoot,
  };
  const words = ['kallithea', join(directory, 'source.db'), join(directory, 'repositories'), '--wait', String(seconds)];
  const { stdout, stderr } = await trunklinectl(['--json', 'import', ...words], { env });
  if (stdout === '') throw new Error(stderr);
  const report = JSON.parse(stdout) as { written: { repositories: { waiting: number } } };
  return report.written.repositories.waiting;
}

async function prepare(one: Case): Promise<void> {
  const { name, type } = one;
  // It goes with the cluster's directory.
  const directory = await mkdtemp(join(dirname(one.cluster.storageRoot), 'source-'));
  const path = join(directory, 'repositories', name);
  await makers[type](path);
  await writeSqlite(join(directory, 'source.db'), 'kallithea 0.7', tablesOfOne(one));
  if ((await runImport(one, directory, 60)) > 0) throw new Error('no worker has adopted the repository');
  sources.set(name, { directory, newest: await commitMore[type](path) });
}

/** A further import, whose bytes a worker makes the repository. */
export const replace: Act = {
  method: 'update_repo',
  args: () => ({}),
  prepare,
  run: async (one) => ((await runImport(one, directoryOf(one), 0)) > 0 ? 'a worker is awaited' : null),
  isDone: async (one) => (await find(one, one.name))?.last_changeset.raw_id === sources.get(one.name)?.newest,
};
