import { createSecretVault, type OpenDatabase } from '@trunkline/db';
import { WriteTransactions } from '../../apps/vcs-worker/src/serve/admission/write-transactions.ts';
import type { Call } from '../../apps/vcs-worker/src/serve/calls/call.ts';
import type { Tools } from '../../apps/vcs-worker/src/worker-tools.ts';

const identity = 'overriding system value';
/** Statements that insert few users, of whom `ann` has a list of addresses, and few of what they may change. */
export const fewRows = [
  `insert into users (id, username, username_key, admin) ${identity}
    values (1, 'default', 'default', false), (2, 'root', 'root', true), (3, 'ann', 'ann', true), (4, 'bob', 'bob', false)`,
  `insert into api_keys (id, user_id, mac, sealed, secret_id, builtin) ${identity}
    select id, id, convert_to(id::text, 'UTF8'), '', '', true from users where id > 1`,
  `select setval(pg_get_serial_sequence('api_keys', 'id'), 100)`,
  `insert into user_ip_addresses (user_id, ip_addr) values (3, '192.0.2.0/24')`,
  `insert into user_groups (id, name, name_key, owner_id) ${identity} values (1, 'devs', 'devs', 2)`,
  `insert into storages (id, name) values ('00000000-0000-4000-8000-000000000001', 'default')`,
  `insert into names (path, kind) values ('repo', 'repository'), ('other', 'repository'), ('group', 'group'), ('spare', 'group')`,
  `insert into repo_groups (id, name, owner_id) ${identity} values (1, 'group', 2), (2, 'spare', 2)`,
  `insert into user_repo_group_permissions (user_id, repo_group_id, level) values (4, 1, 4)`,
  `insert into repositories (id, uuid, name, type, state, storage_id, storage_path, private, description, owner_id,
      landing_rev, enable_downloads, enable_locking, enable_statistics) ${identity}
    select n, gen_random_uuid(), name, 'hg', 'ready', '00000000-0000-4000-8000-000000000001', name, true, '', 2,
      'tip', true, true, true from (values (1, 'repo'), (2, 'other')) r (n, name)`,
];

/** Returns an environment for calls that change rows alone. */
export function environmentOn({ db }: OpenDatabase, connections: number): Call['environment'] {
  // The methods called here need no others.
  const tools: Partial<Tools> = { vault: createSecretVault('secret'.repeat(8)), announceCallersChanged: () => {} };
  return {
    tools: tools as Tools,
    db,
    transactions: new WriteTransactions({
      transact: (act) => db.transaction(act),
      pool: db,
      connections,
      stopping: new AbortController().signal,
    }),
    repositoryService: null,
    dataPort: { offer: () => Promise.reject(new Error('no data port')) as never },
    waitForOperationEnd: async () => {},
    stopping: new AbortController().signal,
  };
}
