import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { meansTip, parseFullName, parseRevision, type Revision } from './revision.ts';

const id = 'a1b2c3d4e5'.repeat(4);

/** Returns whether the grammar allows `text` to be parsed as this revision. */
function isInGrammar(text: string, revision: Revision | undefined): boolean {
  if (revision?.kind === 'id') return /^[0-9a-f]{40}$/.test(revision.rawId);
  if (revision?.kind === 'number') return revision.number < 1e11;
  if (revision?.kind !== 'name') return true;
  const { name, prefix } = revision;
  const isPrefix = prefix === null || /^[0-9a-f]{4,39}$/.test(prefix);
  return isPrefix && name === text && !/\p{Cc}(?<![-])/u.test(text);
}

describe('parseRevision', () => {
  it.each(['', 'tip', 'HEAD', 'head', '-1', -1, null])('%j is the newest changeset', (revision) => {
    expect(parseRevision(revision)).toEqual({ kind: 'tip' });
  });

  it.each([
    [0, 0],
    ['0', 0],
    ['007', 7],
    ['99999999999', 99_999_999_999],
  ])('%j is a number', (revision, number) => {
    expect(parseRevision(revision)).toEqual({ kind: 'number', number });
  });

  it('D4 forty hexadecimal digits are an id, in any case', () => {
    expect(parseRevision(id)).toEqual({ kind: 'id', rawId: id });
    expect(parseRevision(id.toUpperCase())).toEqual({ kind: 'id', rawId: id });
    expect(parseRevision('1'.repeat(40))).toEqual({ kind: 'id', rawId: '1'.repeat(40) });
  });

  it.each([
    ['main', null],
    ['Head', null],
    ['-2', null],
    ['1.5', null],
    ['abc', null],
    ['ABCD', 'abcd'],
    ['123456789012', '123456789012'],
    [id.slice(1), id.slice(1)],
    [`${id}0`, null],
    ['feature/é', null],
  ])('%j is a name or the prefix %j', (name, prefix) => {
    expect(parseRevision(name)).toEqual({ kind: 'name', name, prefix });
  });

  it.each(['a\nb', '\0', 'a\u007f', 'x'.repeat(256), `refs/heads/${'x'.repeat(256)}`, 'tag:a\nb'])(
    'D1 %j has no meaning',
    (revision) => {
      expect(parseRevision(revision)).toBeUndefined();
    },
  );

  it('a name in full may be as long as one without its kind', () => {
    const name = 'x'.repeat(255);
    for (const full of [`refs/heads/${name}`, `branch:${name}`]) {
      expect(parseRevision(full)).toEqual({ kind: 'name', name: full, prefix: null });
    }
  });

  it('D1 any text is parsed within the grammar', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[0-9a-f]{1,42}$/)), (text) => {
        expect(parseRevision(text)).toSatisfy((revision: Revision | undefined) => isInGrammar(text, revision));
      }),
    );
  });

  it('D1 a text that is parsed as a name is no id, no number and no word for the newest changeset', () => {
    const likely = fc.stringMatching(/^(-?[0-9]{1,13}|[0-9a-fA-F]{3,42}|tip|HEAD|head|[-\\w:.~^@{}"'()/ ]{0,9})$/);
    fc.assert(
      fc.property(
        fc.oneof(
          likely,
          likely.map((text) => `${text}\n`),
          fc.integer(),
          fc.constant(null),
        ),
        (sent) => {
          const revision = parseRevision(sent);
          expect(meansTip(sent)).toBe(revision?.kind === 'tip');
          if (revision?.kind !== 'name') return;
          expect(revision.name).toBe(String(sent));
          expect(revision.name).not.toMatch(/^([0-9]{1,11}|[0-9a-fA-F]{40}|tip|head|HEAD|-1|)$/);
          expect(revision.prefix).toBe(/^[0-9a-f]{4,39}$/i.test(revision.name) ? revision.name.toLowerCase() : null);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('an id has the same meaning in upper and lower case', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9a-f]{40}$/), (rawId) => {
        expect(parseRevision(rawId)).toEqual({ kind: 'id', rawId });
        expect(parseRevision(rawId.toUpperCase())).toEqual({ kind: 'id', rawId });
      }),
    );
  });
});

describe('parseFullName', () => {
  it.each([
    ['git', 'refs/heads/2', { kind: 'branch', name: '2' }],
    ['git', 'refs/tags/refs/tags/x', { kind: 'tag', name: 'refs/tags/x' }],
    ['git', 'refs/notes/x', null],
    ['git', 'branch:2', null],
    ['hg', 'branch:2', { kind: 'branch', name: '2' }],
    ['hg', 'book:a:b', { kind: 'bookmark', name: 'a:b' }],
    ['hg', 'tag:2', { kind: 'tag', name: '2' }],
    ['hg', 'refs/heads/2', null],
    ['hg', 'main', null],
  ] as const)('reads in %s %j as %j', (type, text, expected) => {
    expect(parseFullName(type, text)).toEqual(expected);
  });
});
