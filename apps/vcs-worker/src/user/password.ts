import { hash } from '@node-rs/argon2';

const atOnceMax = 2;
let hashing = 0;
const waiting: (() => void)[] = [];

/** argon2id, at most two at a time: hashing must not take the cores from the calls beside it. */
export async function hashPassword(password: string): Promise<string> {
  if (hashing >= atOnceMax) await new Promise<void>((resolve) => waiting.push(resolve));
  else hashing += 1;
  try {
    return await hash(password);
  } finally {
    const next = waiting.shift();
    if (next) next();
    else hashing -= 1;
  }
}
