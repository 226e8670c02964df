import { createHash, timingSafeEqual } from 'node:crypto';
import { verifySync } from '@node-rs/argon2';
import { compareSync } from 'bcryptjs';
import { dummyHash, isForeignHash } from './hash-kinds.ts';

/** The highest cost of bcrypt that an import takes on. */
const bcryptCostMax = 10;

/** The same of bcrypt with a cost. */
const bcryptDummyHash = (cost: number) =>
  `$2b$${String(cost).padStart(2, '0')}$gsvIYDir2QKYniL6JN1mkuCqbzYtHTLeeTcKrK1ZrOBcVDz5pQMkC`;

function matchesSha256(hash: string, password: string): boolean {
  const [given, expected] = [createHash('sha256').update(password).digest(), Buffer.from(hash, 'hex')];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/**
 * Returns the costs of bcrypt hashes which, beside a check of this hash, make the work of one hash of the highest cost:
 * each cost doubles the work.
 */
export function fillingCosts(hash: string): number[] {
  const cost = hash.startsWith('$2') ? Number(hash.slice(4, 6)) : Number.NaN;
  if (!(cost >= 4)) return [bcryptCostMax];
  return Array.from({ length: Math.max(0, bcryptCostMax - cost) }, (_, above) => cost + above);
}

/**
 * Returns whether a password matches a hash of ours, of bcrypt, or of SHA-256 in hexadecimal digits. With `foreignWork`,
 * each wrong password costs the same, whatever the hash: otherwise the time would tell which users were imported.
 */
export function matchesHash(hash: string, password: string, foreignWork: boolean): boolean {
  const isBcrypt = hash.startsWith('$2');
  const isOurs = !isForeignHash(hash);
  // Only the first 72 bytes count for bcrypt, as for the program that made the hash.
  const isRight = isOurs
    ? verifySync(hash, password)
    : isBcrypt
      ? compareSync(password, hash)
      : matchesSha256(hash, password);
  if (isRight || !foreignWork) return isRight;
  for (const cost of fillingCosts(hash)) compareSync(password, bcryptDummyHash(cost));
  if (!isOurs) verifySync(dummyHash, password);
  return false;
}
