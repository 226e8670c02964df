import { randomBytes } from 'node:crypto';

const randomPart = 20;
const userIdPart = 4;
const timePart = 8;

/** 32 bytes in base64url. */
const tokenPattern = /^[\w-]{43}$/;

/** Whose a session is, and since when: what its token tells, whatever is written in its row. */
export interface TokenOwner {
  readonly userId: number;
  /** In milliseconds since 1970. */
  readonly signedInAt: number;
}

/** Makes the token of a new session: 20 random bytes, and whose it is since when. */
export function makeSessionToken({ userId, signedInAt }: TokenOwner): string {
  const token = Buffer.concat([randomBytes(randomPart), Buffer.alloc(userIdPart + timePart)]);
  token.writeUInt32BE(userId, randomPart);
  token.writeBigUInt64BE(BigInt(signedInAt), randomPart + userIdPart);
  return token.toString('base64url');
}

/** Returns whose a token is; null for a malformed one. One of release 0.1.0, which is all random, is nobody's. */
export function readSessionToken(token: string): TokenOwner | null {
  if (!tokenPattern.test(token)) return null;
  const bytes = Buffer.from(token, 'base64url');
  const signedInAt = Number(bytes.readBigUInt64BE(randomPart + userIdPart));
  return { userId: bytes.readUInt32BE(randomPart), signedInAt };
}
