import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { methods } from './methods/index.ts';
import { parseArgs } from './parse-args.ts';
import { groupNames, lastSegment, passwordProblem, repositoryNameProblem, usernameProblem } from './names.ts';

/** Pieces of mostly valid names: random text would almost never be accepted. */
const pieces = ['a', 'Z', 'é', 'e\u0301', 'ß', '日', '𝒂', '\u093f', '7', '٧', '_', '-', '.', '..', '.git', '.hg'];
const oddPieces = [
  '_admin',
  '_12',
  'rm__20260101_',
  '@',
  ' ',
  '\n',
  '\0',
  '\\',
  '\u200d',
  '\u202e',
  '\ud800',
  '/',
  '%2e',
];
const piece = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...pieces) }, fc.constantFrom(...oddPieces));
const anyText = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));
const likelySegment = fc.array(piece, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
const likelyNames = fc.array(likelySegment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));

describe('repositoryNameProblem', () => {
  it.each(['a', 'a/b/c', 'ünï', 'a.b_c-d', '1a', '_admin2', 'x'.repeat(255)])('accepts %j', (name) => {
    expect(repositoryNameProblem(name)).toBeUndefined();
  });

  it.each([
    '',
    'x'.repeat(256),
    '_admin',
    '_12/a',
    'a//b',
    '../a',
    'a/-b',
    '7',
    'a.git',
    'a.',
    'rm__20260101_x',
    'a\nb',
  ])('C1 refuses %j', (name) => {
    expect(repositoryNameProblem(name)).toBeTypeOf('string');
  });

  it('E10 refuses long hostile names for their length, before it looks at their characters', () => {
    for (const unit of ['a/', '.', 'a.git/', 'ü\u0301']) {
      expect(repositoryNameProblem(unit.repeat(25_000))).toBe('a name is 1 to 255 characters long');
      expect(repositoryNameProblem(unit)).not.toBe('a name is 1 to 255 characters long');
    }
  });

  it('C1 every accepted name keeps all rules of the grammar', () => {
    fc.assert(
      fc.property(likelyNames, (name) => {
        fc.pre(repositoryNameProblem(name) === undefined);
        expect(name).toBe(name.normalize('NFC'));
        expect(name.length).toBeLessThanOrEqual(255);
        expect(name).toMatch(/^[\p{L}\p{M}\p{Nd}._/-]+$/u);
        expect(name).not.toMatch(/^(_admin|_\d+)(\/|$)/);
        for (const segment of name.split('/')) {
          expect(segment).toMatch(/^[^.\p{M}-].*$/u);
          expect(segment).not.toMatch(/(\.|\.git|\.hg|^\p{Nd}+)$|^rm__\d{8}_/u);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(anyText, (name) => {
        expect(['string', 'undefined']).toContain(typeof repositoryNameProblem(name));
      }),
    );
  });

  it('every accepted name can be sent as repoid, and is never read as an id', () => {
    fc.assert(
      fc.property(likelyNames, (name) => {
        fc.pre(repositoryNameProblem(name) === undefined);
        const { repoid } = parseArgs(methods.get_repo.args, { repoid: name });
        expect(repoid).toEqual({ sent: name, id: null, name });
      }),
    );
  });

  it('plain words are accepted', () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9_-]{0,20}$/).filter((text) => !text.startsWith('rm__'));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 10 }), (words) => {
        expect(repositoryNameProblem(words.join('/'))).toBeUndefined();
      }),
    );
  });
});

describe('groupNames', () => {
  it('names every enclosing group, outermost first', () => {
    expect(groupNames('a/b/c')).toEqual(['a', 'a/b']);
    expect(groupNames('a')).toEqual([]);
    expect(lastSegment('a/b/c')).toBe('c');
  });

  it('the innermost group and the last segment make up the name, and group names are valid names themselves', () => {
    fc.assert(
      fc.property(likelyNames, (name) => {
        const groups = groupNames(name);
        expect([...groups.slice(-1), lastSegment(name)].join('/')).toBe(name);
        expect(groups.flatMap(groupNames)).toEqual(groups.flatMap((_, index) => groups.slice(0, index)));
        fc.pre(repositoryNameProblem(name) === undefined);
        expect(groups.map(repositoryNameProblem)).toEqual(groups.map(() => undefined));
      }),
    );
  });
});

describe('usernameProblem', () => {
  it.each(['a', 'ann@example.com', '_x', '1a', 'Ünal', 'a-b.c_d', 'x'.repeat(255)])('accepts %j', (name) => {
    expect(usernameProblem(name)).toBeUndefined();
  });

  it.each([
    '',
    '12',
    '٤٢',
    '½x',
    'a²',
    'new_user',
    'New_User',
    '-a',
    '.a',
    '@a',
    'a b',
    'a/b',
    'a\u202eb',
    'x'.repeat(256),
  ])('refuses %j', (name) => {
    expect(usernameProblem(name)).toBeTypeOf('string');
  });
});

describe('passwordProblem', () => {
  it.each([
    ['1234567', 'must be at least 8 characters'],
    ['😀😀😀😀', 'must be at least 8 characters'],
    ['ANN@EXAMPLE.COM', 'must not be the username'],
    ['12345678', undefined],
    ['ann@example.com!', undefined],
  ])('of %j is %j', (password, problem) => {
    expect(passwordProblem(password, 'Ann@example.com')).toBe(problem);
  });
});
