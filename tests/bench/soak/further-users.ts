import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from '../../harness/client.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { makeGitRemote, type Remote } from '../../harness/remotes.ts';
import { someFile } from '../../harness/unique-name.ts';
import { createWebClient } from '../../harness/web-client.ts';
import { addUser, ordinaryPassword, type AbusedStage, type OrdinaryUser } from './abused-stage.ts';
import { notice, type Noticed } from './noticed.ts';

export const furtherKinds = ['imports', 'pulls', 'sign-ins', 'sign-ins from new addresses'] as const;

/** Between two requests of one user: each costs more than those of `runOrdinary`. */
const pauseMs = 500;

/** A user who imports and pulls, and one who signs in: what one abuser alone would keep them from. */
export interface FurtherUsers {
  /** Has them send their requests until the signal fires; `noticed` gets the times. */
  run(noticed: Noticed, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

const pick = (baseUrls: readonly string[], turn: number) => baseUrls[turn % baseUrls.length] ?? '';
/** Addresses of one network each. */
const newAddress = () => `2001:db8:${randomBytes(4).toString('hex').replace(/..../, '$&:')}::1`;

/** Imports a repository, pulls into it, and deletes it. */
function importing(baseUrls: readonly string[], key: string, remote: Remote) {
  return async (noticed: Noticed, turn: number) => {
    const client = createClient(pick(baseUrls, turn), key);
    const name = `imported-${randomBytes(4).toString('hex')}`;
    const call = async (method: string, args: object) => (await client.call(method, args)).error;
    const args = { repo_name: name, repo_type: 'git', clone_uri: remote.url };
    const isThere = await notice(noticed, { kind: 'imports', what: 'import' }, () => call('create_repo', args));
    if (!isThere) return;
    await notice(noticed, { kind: 'pulls', what: 'pull' }, () => call('pull', { repoid: name }));
    await call('delete_repo', { repoid: name });
  };
}

/** Signs in from an address from which the user has signed in before, and from a new one. */
function signingIn(baseUrls: readonly string[], { username, address }: OrdinaryUser) {
  const signIn = async (turn: number, from: string) => {
    const fields = { username, password: ordinaryPassword };
    const web = createWebClient(pick(baseUrls, turn));
    const { status } = await web.post('/_admin/login', fields, { 'X-Forwarded-For': from });
    return status === 302 ? null : String(status);
  };
  return async (noticed: Noticed, turn: number) => {
    await notice(noticed, { kind: 'sign-ins', what: 'sign-in' }, () => signIn(turn, address));
    const atNew = { kind: 'sign-ins from new addresses', what: 'sign-in from a new address' };
    await notice(noticed, atNew, () => signIn(turn, newAddress()));
  };
}

export async function addFurtherUsers({ baseUrl, baseUrls, adminKey }: Cluster, stage: AbusedStage) {
  const admin = createClient(baseUrl, adminKey);
  const remote = await makeGitRemote();
  await remote.commit({ [someFile]: '1\n' });
  // Pulls are for administrators.
  const key = await addUser(admin, 'importer', { admin: true });
  const [signer] = stage.users;
  if (!signer) throw new Error('no user who signs in');
  const acts = [importing(baseUrls, key, remote), signingIn(baseUrls, signer)];
  const users: FurtherUsers = {
    async run(noticed, signal) {
      const loop = async (act: (typeof acts)[number]) => {
        for (let turn = 0; !signal.aborted; turn += 1) {
          await act(noticed, turn);
          await wait(pauseMs);
        }
      };
      await Promise.all(acts.map(loop));
    },
    close: () => remote.close(),
  };
  return users;
}
