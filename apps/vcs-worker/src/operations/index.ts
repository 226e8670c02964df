import type { OperationName } from '@trunkline/contracts';
import type { Handler } from './context.ts';
import { test } from './diagnostics/test.ts';
import { createRepo } from './repository/create-repo.ts';
import { deleteRepo } from './repository/delete-repo.ts';
import { getRepo } from './repository/get-repo.ts';
import { getRepoNodes } from './repository/get-repo-nodes.ts';
import { getRepos } from './repository/get-repos.ts';
import { pull } from './repository/pull.ts';
import { createUser } from './user/create-user.ts';
import { getIp } from './user/get-ip.ts';
import { getUser } from './user/get-user.ts';
import { getUsers } from './user/get-users.ts';

/** One handler for each operation; the compiler refuses a missing, swapped or misfitting one. */
export const handlers: { readonly [Name in OperationName]: Handler<Name> } = {
  create_repo: createRepo,
  create_user: createUser,
  delete_repo: deleteRepo,
  get_ip: getIp,
  get_repo: getRepo,
  get_repo_nodes: getRepoNodes,
  get_repos: getRepos,
  get_user: getUser,
  get_users: getUsers,
  pull,
  test,
};
