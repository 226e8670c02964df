import type { Operation } from '../operation.ts';
import { test } from './diagnostics.ts';
import { createRepo, deleteRepo, getRepo, getRepoNodes, getRepos, pull } from './repositories.ts';
import { createUser, getIp, getUser, getUsers } from './users.ts';

/** Every operation of the API by its name. */
export const operations = {
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
} as const satisfies { readonly [Name in string]: Operation<Name> };

export type Operations = typeof operations;
export type OperationName = keyof Operations;

const byAnyName = new Map<string, Operation & { readonly name: OperationName }>(
  Object.values(operations).flatMap((operation) =>
    [operation.name, ...operation.aliases].map((name) => [name, operation] as const),
  ),
);

/** The operation a method names, by its own name or an earlier one. */
export function findOperation(method: string): (Operation & { readonly name: OperationName }) | undefined {
  return byAnyName.get(method);
}
