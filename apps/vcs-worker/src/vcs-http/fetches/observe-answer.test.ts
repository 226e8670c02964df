import { describe, expect, it, vi } from 'vitest';
import { collectBytes } from '../../collect-bytes.ts';
import type { AnswerType } from '../../cache/vcs-answers/cached-answer.ts';
import { AskedChangesets, type AskedContent, observeAnswer } from './observe-answer.ts';

const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
const id = '1'.repeat(40);
const pack = line('\x01PACK\0\0\0\x02\0\0\0\x03');

const git = { request: 'git-fetch', protocol: 2, command: '', changesets: { areAsked: true } } as const;
const first = { ...git, protocol: 0 };
const hg = (command: string, areAsked = true) =>
  ({ request: 'hg', protocol: 0, command, changesets: { areAsked } }) as const;

/** Returns how often an answer counts: whole, and in pieces of one byte. */
async function counts(asked: AskedContent, text: string, type: AnswerType = null): Promise<[number, number]> {
  const bytes = Buffer.from(text, 'latin1');
  async function* pieces() {
    for (const byte of bytes) yield Buffer.from([byte]);
  }
  const seen: number[] = [];
  for (const content of [bytes, pieces()]) {
    const note = vi.fn();
    const answer = observeAnswer({ type, content, end: () => {} }, asked, note);
    const read = answer.content instanceof Uint8Array ? answer.content : await collectBytes(answer.content);
    expect(read).toEqual(bytes);
    seen.push(note.mock.calls.length);
  }
  return [seen[0] ?? 0, seen[1] ?? 0];
}

describe('observeAnswer', () => {
  it.each<[string, AskedContent, string]>([
    ['a pack', git, `${line('packfile\n')}${pack}0000`],
    [
      'a pack after common commits',
      git,
      `${line('acknowledgments\n')}${line('ready\n')}0001${line('packfile\n')}${pack}`,
    ],
    [
      'a pack of a shallow clone',
      git,
      `${line('shallow-info\n')}${line(`shallow ${id}`)}0001${line('packfile\n')}${pack}`,
    ],
    ['a pack before version 2', first, `${line('NAK\n')}${pack}0000`],
    ['a pack before version 2, without side band', first, `${line(`ACK ${id}\n`)}PACK\0\0\0\x02`],
    ['a bundle', hg('getbundle'), 'HG20'],
  ])('notes %s once', async (_what, asked, answer) => {
    expect(await counts(asked, answer)).toEqual([1, 1]);
  });

  it.each<[string, AskedContent, string, AnswerType?]>([
    ['common commits alone', git, `${line('acknowledgments\n')}${line(`ACK ${id}\n`)}0000`],
    ['common commits before version 2', first, `${line(`ACK ${id} common\n`)}${line('NAK\n')}`],
    ['references, whatever their names', git, `${line(`${id} refs/heads/000dpackfile\n`)}${line(`${id} PACK\n`)}0000`],
    ['an error', git, line('ERR upload-pack: not our ref')],
    ['nothing', git, ''],
    ['the first answer', { ...git, request: 'git-refs' }, `${line('packfile\n')}${pack}`],
    ['a bundle without changesets', hg('getbundle', false), 'HG20'],
    ['an error of Mercurial', hg('getbundle'), 'no', 'application/hg-error'],
    ['other commands of Mercurial', hg('batch'), id],
  ])('does not note %s', async (_what, asked, answer, type) => {
    expect(await counts(asked, answer, type)).toEqual([0, 0]);
  });

  it('searches each byte once, however small the pieces are', async () => {
    const concat = vi.spyOn(Buffer, 'concat');
    const bytes = Buffer.from(line('NAK\n').repeat(1_000));
    async function* pieces() {
      for (let at = 0; at < bytes.length; at += 8) yield bytes.subarray(at, at + 8);
    }
    const { content } = observeAnswer({ type: null, content: pieces(), end: () => {} }, first, () => {});
    if (!(content instanceof Uint8Array)) for await (const _piece of content);
    const searched = concat.mock.results.reduce((sum, { value }) => sum + Number(value.length), 0);
    concat.mockRestore();
    expect(searched).toBeLessThan(2 * bytes.length);
  });

  it('stops looking for a pack after a megabyte', async () => {
    const long = `${line('NAK\n')}${line('x'.repeat(60_000)).repeat(20)}${pack}`;
    async function* pieces() {
      for (let at = 0; at < long.length; at += 65_536) yield Buffer.from(long.slice(at, at + 65_536), 'latin1');
    }
    const note = vi.fn();
    const { content } = observeAnswer({ type: null, content: pieces(), end: () => {} }, first, note);
    if (!(content instanceof Uint8Array)) await collectBytes(content);
    expect(note).not.toHaveBeenCalled();
  });
});

const many = `common=${'1'.repeat(40)}${`+${'2'.repeat(40)}`.repeat(2_000)}`;

it.each([
  ['', true],
  ['cg=1&heads=x', true],
  ['heads=x', true],
  ['heads=cg=0', true],
  ['xcg=0', true],
  [`cg=${'0'.repeat(300)}`, true],
  ['cg=1&cg=0', true],
  ['cg=0', false],
  ['cg=', false],
  ['cg', false],
  ['bookmarks=1&cg=0&heads=x', false],
  [`${many}&cg=0`, false],
  [`cg=0&${many}`, false],
  ['%63g=%30', false],
  ['cg=0&cg=1', false],
])('%.50j asks for changesets: %j', async (args, asks) => {
  const bytes = Buffer.from(args, 'latin1');
  expect(new AskedChangesets().add(bytes).areAsked).toBe(asks);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
  }
  const asked = new AskedChangesets();
  expect(await collectBytes(asked.observe(pieces()))).toEqual(bytes);
  expect(asked.areAsked).toBe(asks);
});
