import type { Client } from '../harness/client.ts';

/** What is changed while a push arrives, the call that changes it, and the text that the client then gets. */
export type ChangeMeanwhile = [what: string, call: (name: string) => [string, object], text: (name: string) => string];

/** Changes after which a push of this user into a repository is refused. */
export const changesMeanwhile = (username: () => string): readonly ChangeMeanwhile[] => [
  [
    'the right to write is revoked',
    (name) => ['grant_user_permission', { repoid: name, userid: username(), perm: 'repository.read' }],
    (name) => `You may read \`${name}\`, but not push into it`,
  ],
  [
    'somebody else locks the repository',
    (name) => ['lock', { repoid: name, userid: 'admin', locked: true }],
    (name) => `Repository \`${name}\` locked by user \`admin\``,
  ],
  [
    'the repository is renamed',
    (name) => ['update_repo', { repoid: name, name: `${name}-new` }],
    (name) => `repository \`${name}\` does not exist`,
  ],
  [
    'the repository is deleted',
    (name) => ['delete_repo', { repoid: name }],
    (name) => `repository \`${name}\` does not exist`,
  ],
];

/** A login with which a push has begun, and what ends it. */
export interface OpenLogin {
  readonly username: string;
  /** A key or a password. */
  readonly key: string;
  end(): Promise<unknown>;
}

/** A user who pushes. */
export interface Pusher {
  readonly username: string;
  readonly client: Client;
}

/** What ends a login while a push arrives, how that login is opened, and the text that the client then gets. */
export type LoginMeanwhile = [what: string, open: (ann: Pusher, admin: Client) => Promise<OpenLogin>, text: string];

async function openKey(limit: object, { client }: Pusher): Promise<OpenLogin> {
  const { api_key: made } = await client.result<{ api_key: { api_key: string; api_key_id: number } }>(
    'create_api_key',
    limit,
  );
  const end = () => client.result('revoke_api_key', { api_key_id: made.api_key_id });
  return { username: 'api-key', key: made.api_key, end };
}

async function openPassword({ username }: Pusher, admin: Client): Promise<OpenLogin> {
  const set = (password: string) => admin.result('update_user', { userid: username, password });
  const key = 'the former password';
  await set(key);
  return { username, key, end: () => set('the later password') };
}

/** Logins that end while a push arrives, which is then refused. */
export const loginsMeanwhile: readonly LoginMeanwhile[] = [
  ['the key is revoked', (ann) => openKey({}, ann), 'Invalid API key'],
  [
    'the key, which is limited to clients of git, is revoked',
    (ann) => openKey({ limited_to: 'push' }, ann),
    'Invalid API key',
  ],
  ['the password is changed', openPassword, 'Invalid username or password'],
];
