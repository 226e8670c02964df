import type { SourceKey, SourceUser } from '../source/source.ts';
import type { Finding } from './finding.ts';

export interface PlannedKey {
  /** Null for a new one. */
  readonly key: string | null;
  readonly description: string;
  readonly expiresAt: Date | null;
  readonly createdAt: Date | null;
}

export interface PlannedKeys {
  readonly builtin: PlannedKey;
  readonly further: readonly PlannedKey[];
}

export interface KeyWorld {
  /** Whether keys of less than 160 bits are taken on. */
  readonly weakKeys: boolean;
  readonly now: Date;
  /** Keys that other users of the source have. */
  readonly taken: Set<string>;
}

const keyGrammar = /^[0-9a-f]{40}$/;
/** What gateways accept at all. */
const weakGrammar = /^[0-9a-f]{20,39}$/;

/** Returns why a key is not taken on; undefined for one that is. */
function problemOf(key: string, { weakKeys, taken }: KeyWorld): string | undefined {
  if (taken.has(key)) return 'another user has the same key';
  if (keyGrammar.test(key)) return undefined;
  if (!weakGrammar.test(key)) return 'the key is no number of 80 to 160 bits in lower-case hexadecimal digits';
  return weakKeys ? undefined : `the key has ${key.length * 4} bits instead of 160: --weak-keys would take it on`;
}

/** Returns the keys of a user, and findings that show none of them. */
export function planKeys(user: SourceUser, about: string, world: KeyWorld, findings: Finding[]): PlannedKeys {
  const take = (key: string, which: string): boolean => {
    const problem = problemOf(key, world);
    if (problem !== undefined) {
      const outcome = which === 'the built-in key' ? 'a new key is made' : 'it is left out';
      findings.push({ kind: 'weak key', about, what: `${which}: ${problem}; ${outcome}` });
      return false;
    }
    if (!keyGrammar.test(key)) {
      findings.push({ kind: 'weak key', about, what: `${which} has ${key.length * 4} bits instead of 160` });
    }
    world.taken.add(key);
    return true;
  };
  const { apiKey, createdAt } = user;
  const builtinKey = apiKey !== null && take(apiKey, 'the built-in key') ? apiKey : null;
  const valid = ({ expiresAt }: SourceKey) => expiresAt === null || expiresAt > world.now;
  const further = user.furtherKeys
    .filter(valid)
    .filter(({ key, description }) => take(key, `the key with the description \`${description}\``));
  const expired = user.furtherKeys.filter((key) => !valid(key)).length;
  if (expired > 0) findings.push({ kind: 'left out', about, what: `${expired} keys that have expired` });
  return { builtin: { key: builtinKey, description: '', expiresAt: null, createdAt }, further };
}
