import { permissionId } from './source-world.ts';
import type { Row, Tables } from './write-source.ts';

/** What the user `default` has: an import takes nothing from users here for the sake of such a source. */
const everything = ['repository.admin', 'group.admin', 'usergroup.admin', 'hg.create.repository', 'hg.fork.repository'];

/** Returns the database of another program with one repository, and no user beside `default`. */
export function tablesOfOne({ name, type }: { readonly name: string; readonly type: 'hg' | 'git' }): Tables {
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
