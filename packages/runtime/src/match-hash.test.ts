import { createHash } from 'node:crypto';
import { hashSync as hashOurs } from '@node-rs/argon2';
import { hashSync } from 'bcryptjs';
import { describe, expect, it } from 'vitest';
import { isForeignHash } from './hash-kinds.ts';
import { fillingCosts, matchesHash } from './match-hash.ts';

const long = `${'ü'.repeat(40)}tail`;

describe('matchesHash', () => {
  it.each([
    ['argon2id', hashOurs('grüße'), 'grüße', false],
    ['bcrypt', hashSync('grüße', 4), 'grüße', true],
    ['bcrypt of Python', hashSync('grüße', 4).replace('$2b$', '$2a$'), 'grüße', true],
    ['SHA-256', createHash('sha256').update('grüße').digest('hex'), 'grüße', true],
    ['bcrypt of more than 72 bytes', hashSync(long, 4), long, true],
  ])('knows the password of %s', (_, hash, password, isForeign) => {
    expect(isForeignHash(hash)).toBe(isForeign);
    for (const foreignWork of [false, true]) {
      expect(matchesHash(hash, password, foreignWork)).toBe(true);
      for (const wrong of ['', 'Grüße', hash]) expect(matchesHash(hash, wrong, foreignWork)).toBe(false);
    }
  });

  it('compares 72 bytes of a password with bcrypt, as the program that made the hash', () => {
    expect(matchesHash(hashSync(long, 4), long.slice(0, 36), false)).toBe(true);
    expect(matchesHash(hashSync(long, 4), long.slice(0, 35), false)).toBe(false);
  });

  it.each(['', '$2b$10$', '!', 'ab'])('lets nobody in by %j, which is no hash', (hash) => {
    expect(matchesHash(hash, '', true)).toBe(false);
    expect(matchesHash(hash, hash, true)).toBe(false);
  });
});

it.each(['04', '08', '09', '10'])(
  'B3 a wrong password for bcrypt of cost %s costs the work of one of cost 10',
  (cost) => {
    const filling = fillingCosts(`$2b$${cost}$${'x'.repeat(53)}`);
    expect(filling.reduce((work, one) => work + 2 ** one, 2 ** Number(cost))).toBe(2 ** 10);
  },
);

it('B3 a wrong password for a hash of another kind costs the work of bcrypt of cost 10', () => {
  expect([fillingCosts('ab'.repeat(32)), fillingCosts('$argon2id$v=19'), fillingCosts('$2b$')]).toEqual([
    [10],
    [10],
    [10],
  ]);
});
