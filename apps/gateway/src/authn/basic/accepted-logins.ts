import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { ChangedUsers } from '../changed-users.ts';
import type { Candidate } from '../sign-in/sign-in-store.ts';
import type { BasicCredentials } from './parse-basic.ts';

const loginsMax = 10_000;
const lifeMs = 60_000;

export type AcceptedLogin = Pick<Candidate, 'userId' | 'fingerprint' | 'networks'>;

/**
 * The names and passwords that were accepted within the last minute, since clients send them with every request, and
 * checking one costs a core for some 50 ms. Refusals are not kept. Workers refuse a password that has changed since by its
 * fingerprint.
 */
export class AcceptedLogins {
  readonly #hmacKey = randomBytes(32);
  readonly #logins: LRUCache<string, { readonly login: AcceptedLogin; readonly epoch: number }>;
  readonly #changed = new ChangedUsers();

  constructor(clock: Clock) {
    const perf = { now: () => clock.now() };
    this.#logins = new LRUCache({ max: loginsMax, ttl: lifeMs, ttlResolution: 0, perf });
  }

  /** Returns the key of a name and a password, from which neither can be found. */
  keyOf({ username, password }: BasicCredentials): string {
    return createHmac('sha256', this.#hmacKey).update(`${username}\0${password}`).digest('base64');
  }

  get(key: string): AcceptedLogin | undefined {
    const kept = this.#logins.get(key);
    if (kept && !this.#changed.isStale(kept.login.userId, kept.epoch)) return kept.login;
    this.#logins.delete(key);
    return undefined;
  }

  /** Number of drops so far; it is read before the check whose result is kept. */
  get epoch(): number {
    return this.#changed.epoch;
  }

  keep(key: string, { userId, fingerprint, networks }: AcceptedLogin, epoch: number): void {
    if (this.#changed.isStale(userId, epoch)) return;
    this.#logins.set(key, { login: { userId, fingerprint, networks }, epoch });
  }

  /** Drops a user's logins, or, with null, all; results of checks that began before are not kept. */
  drop(userId: number | null): void {
    this.#changed.add(userId);
    if (userId === null) this.#logins.clear();
  }
}
