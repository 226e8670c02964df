import { hash, verify } from '@node-rs/argon2';
import { BusyError } from '@trunkline/contracts';

const atOnceMax = 2;
const waitingMax = 200;
/** Of a password nobody knows, made with the parameters of `hash`: what those cost who have none. */
export const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$gsvIYDir2QKYniL6JN1mkw$7GVNnHCSpK+50Nb4fCxLjPNH550RvvffsmfFaL5kTv4';
let working = 0;
const waiting: (() => void)[] = [];

/** At most two at a time: hashing must not take the cores from the calls beside it. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (working < atOnceMax) working += 1;
  else if (waiting.length >= waitingMax) throw new BusyError();
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else working -= 1;
  }
}

/** argon2id with a salt of its own. */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(password));
}

/** Whether it is the password of this hash; without a hash it is not, after the same work. */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const right = await inTurn(() => verify(passwordHash ?? dummyHash, password));
  return right && passwordHash !== null;
}
