import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, hg, makeGitRemote, makeHgRemote, type Remote } from '../harness/remotes.ts';
import { makeRepository } from '../harness/shared-cluster.ts';
import { mainBranch, mainReference, someFile } from '../harness/unique-name.ts';
import { askBoth, type Answered } from './floors/ask-both.ts';
import { partsOf } from './floors/bundle-parts.ts';
import { readGitAnswer } from './floors/git-answer.ts';
import { packOf } from './held-push.ts';
import { bookmarkPart, bundleOf, type BundlePart } from './hg-bundle.ts';
import { commitFile } from './matrix/git-source.ts';

// Mercurial starts often, beside whatever else the machine does.
const hookMs = 180_000;

let directory = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-push-floors-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('a push of git is answered as by git http-backend', () => {
  let floor: Remote;
  let name = '';
  let work = '';
  /** Commits, each the parent of the next one. */
  let ids: readonly [string, string, string] = ['', '', ''];
  /** A commit of which nothing is pushed, and its child. */
  let kept: readonly [string, string] = ['', ''];
  let empty: Buffer;
  const none = '0'.repeat(40);

  beforeAll(async () => {
    floor = await makeGitRemote();
    await git(floor.directory, 'config', 'core.bare', 'true');
    name = await makeRepository('git');
    work = join(directory, 'work');
    await git(directory, 'init', '-q', '-b', mainBranch, work);
    ids = [await commitFile(work, 'one'), await commitFile(work, 'two'), await commitFile(work, 'three')];
    kept = [await commitFile(work, 'four'), await commitFile(work, 'five')];
    await git(work, 'tag', '-a', '-m', 'a tag', 'v1', ids[0]);
    empty = await packOf(work, ids[0], ids[0]);
    await send([[none, ids[0], mainReference]], await packOf(work, ids[0]));
  }, hookMs);
  afterAll(() => floor.close());

  type Change = readonly [from: string, to: string, name: string];
  const pkt = (text: string) => `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;

  /** Sends a push to both; returns the lines of both answers, without the words of a refusal. */
  async function send(changes: readonly Change[], pack: Buffer, capabilities = 'report-status side-band-64k') {
    const lines = changes.map((change, at) => pkt(`${change.join(' ')}${at === 0 ? `\0 ${capabilities}` : ''}`));
    const body = Buffer.concat([Buffer.from(`${lines.join('')}0000`), pack]);
    const headers = { 'content-type': 'application/x-git-receive-pack-request' };
    const { expected, actual } = await askBoth(floor.url, name, { path: '/git-receive-pack', body, headers });
    const shown = async ({ bytes, ...more }: Answered) => {
      const report = (await readGitAnswer(bytes, directory)).lines.map((line) => line.replace(/^(ng \S+) .*/, '$1'));
      const isRefused = report.some((line) => line.startsWith('ng '));
      // Refusals come in an order of their own.
      return { ...more, lines: report.filter((line) => !(isRefused && line.startsWith('unpack '))).toSorted() };
    };
    const answers = { expected: await shown(expected), actual: await shown(actual) };
    expect(answers.actual).toEqual(answers.expected);
    return answers.actual.lines;
  }

  /** Expects that both have the same references. */
  async function expectSame(): Promise<void> {
    const path = '/info/refs?service=git-upload-pack';
    const { expected, actual } = await askBoth(floor.url, name, { path });
    const refs = async ({ bytes }: Answered) =>
      (await readGitAnswer(bytes, directory)).lines.map((line) => line.replace(/ \[.*/, ''));
    expect(await refs(actual)).toEqual(await refs(expected));
  }

  it('a new branch, what is added to it, what is taken from it, and its removal', async () => {
    const branch = 'refs/heads/own';
    const [first, second, third] = ids;
    expect(await send([[none, second, branch]], await packOf(work, second, first))).toContain(`ok ${branch}`);
    await send([[second, third, branch]], await packOf(work, third, second));
    await expectSame();
    await send([[third, first, branch]], empty);
    await expectSame();
    await send([[first, none, branch]], Buffer.alloc(0));
    await expectSame();
  });

  it('several references with a tag, to clients with and without a side band', async () => {
    const tag = (await git(work, 'rev-parse', 'v1')).trim();
    const names = ['refs/heads/topic/a', 'refs/heads/topic/ü', 'refs/tags/one'];
    await send(
      [...names.map((one): Change => [none, ids[0], one]), [none, tag, 'refs/tags/v1']],
      await packOf(work, 'v1'),
    );
    await expectSame();
    await send(
      names.map((one): Change => [ids[0], none, one]),
      Buffer.alloc(0),
      'report-status',
    );
    await expectSame();
  });

  it('what is refused', async () => {
    const [first, second] = ids;
    const pack = await packOf(work, second);
    const refused: readonly (readonly [readonly Change[], Buffer, string?])[] = [
      // It has another id.
      [[[second, first, mainReference]], empty],
      // It exists.
      [[[none, second, mainReference]], pack],
      // One of two has another id, and the client wants all or nothing.
      [
        [
          [none, second, 'refs/heads/fine'],
          [second, first, mainReference],
        ],
        pack,
        'report-status side-band-64k atomic',
      ],
      // Objects are missing.
      [[[none, kept[1], 'refs/heads/lacking']], await packOf(work, kept[1], kept[0])],
      [[[none, '1'.repeat(40), 'refs/heads/missing']], empty],
      // The default branch.
      [[[first, none, mainReference]], Buffer.alloc(0)],
      // The pack is damaged.
      [[[none, second, 'refs/heads/damaged']], Buffer.concat([pack.subarray(0, -20), Buffer.alloc(20)])],
    ];
    for (const [changes, objects, capabilities] of refused) {
      const lines = await send(changes, objects, capabilities);
      expect(lines.filter((line) => line.startsWith('ng '))).toHaveLength(changes.length);
      await expectSame();
    }
  });
});

describe('a push of Mercurial is answered as by hgweb', () => {
  let floor: Remote;
  let name = '';
  let work = '';
  /** Changesets, each the parent of the next one. */
  let ids: readonly string[] = [];
  const force = Buffer.from('force').toString('hex');
  const unknown = '7'.repeat(40);

  beforeAll(async () => {
    floor = await makeHgRemote(['web.push_ssl=False', 'web.allow-push=*']);
    name = await makeRepository('hg');
    work = join(directory, 'hg-work');
    await hg(directory, 'init', work);
    for (const text of ['one', 'two', 'three', 'four']) {
      await writeFile(join(work, someFile), text);
      await hg(work, 'commit', '-q', '-A', '-m', text, '-u', 'Ann <ann@example.com>');
    }
    ids = (await hg(work, 'log', '-r', 'all()', '-T', '{node}\n')).split('\n').filter(Boolean);
  }, hookMs);
  afterAll(() => floor.close());

  const ask = (cmd: string, args: string, body?: Buffer) => {
    const headers = {
      'x-hgarg-1': args,
      'x-hgproto-1': '0.1 0.2 comp=none',
      'content-type': 'application/mercurial-0.1',
    };
    const asked = { path: `?cmd=${cmd}`, headers, ...(body !== undefined && { body }) };
    return askBoth(floor.url.replace(/\/$/, ''), name, asked);
  };

  /** Returns the part with one changeset. */
  async function changesetPart(at: number): Promise<BundlePart> {
    const file = join(directory, `changeset-${at}`);
    const base = at === 0 ? 'null' : String(ids[at - 1]);
    await hg(work, 'bundle', '-q', '--base', base, '-r', String(ids[at]), '--type', 'none-v2', file);
    const part = partsOf(await readFile(file)).find((one) => one.name.toLowerCase() === 'changegroup');
    if (!part) throw new Error('the bundle has no changesets');
    return part;
  }

  /** Returns the parts of an answer, without those that keep a connection alive; an answer that is none is a text. */
  function shown({ status, type, bytes }: Answered) {
    if (!bytes.subarray(0, 4).equals(Buffer.from('HG20'))) return { status, type, parts: [], text: bytes.toString() };
    const found = partsOf(bytes).map(({ data, ...part }) => ({ ...part, text: data.toString() }));
    return { status, type, parts: found.filter((part) => part.name !== 'output' || part.text !== ''), text: '' };
  }

  /** Sends a bundle to both, whose answers have to be the same; returns that of the service. */
  async function send(heads: string, ...parts: readonly BundlePart[]) {
    const { expected, actual } = await ask('unbundle', `heads=${heads}`, bundleOf(...parts));
    expect(shown(actual)).toEqual(shown(expected));
    return shown(actual);
  }

  async function expectSame(): Promise<void> {
    for (const [cmd, args] of [
      ['heads', ''],
      ['branchmap', ''],
      ['listkeys', 'namespace=bookmarks'],
      ['listkeys', 'namespace=phases'],
    ] as const) {
      const { expected, actual } = await ask(cmd, args);
      expect(actual.bytes.toString()).toBe(expected.bytes.toString());
    }
  }

  it('a new repository, and an update with a bookmark', async () => {
    expect((await send(force, await changesetPart(0))).parts).toContainEqual(
      expect.objectContaining({ name: 'reply:changegroup' }),
    );
    await expectSame();
    await send(String(ids[0]), await changesetPart(1), bookmarkPart('kept', String(ids[1])));
    await expectSame();
    for (const [from, to, expected] of [
      [ids[1], ids[0], '1\n'],
      // It has another id by now.
      [ids[1], ids[1], '0\n'],
    ]) {
      const key = `namespace=bookmarks&key=kept&old=${from}&new=${to}`;
      const moved = await ask('pushkey', key, Buffer.alloc(0));
      expect(moved.actual.bytes.toString()).toBe(moved.expected.bytes.toString());
      expect(moved.actual.bytes.toString()).toBe(expected);
    }
    await expectSame();
  });

  it('what is refused', async () => {
    const refused: readonly (readonly [string, BundlePart])[] = [
      // The heads are not those that the client has seen.
      [unknown, await changesetPart(0)],
      [force, { name: 'CHECK:HEADS', data: Buffer.from(unknown, 'hex') }],
      [force, { name: 'X-UNKNOWN' }],
    ];
    for (const [heads, part] of refused) {
      const { parts, text } = await send(heads, part);
      expect(parts.some(({ name: one }) => /^error:/i.test(one)) || text.startsWith('0\n')).toBe(true);
      await expectSame();
    }
  });

  it('a bookmark of an unknown changeset', async () => {
    await send(force, bookmarkPart('lost', unknown));
    await expectSame();
  });

  it('changesets without their parents are refused, where hgweb has an error of the server', async () => {
    const { expected, actual } = await ask('unbundle', `heads=${force}`, bundleOf(await changesetPart(3)));
    expect(expected.status).toBe(500);
    expect(shown(actual)).toMatchObject({ status: 200, parts: [{ name: 'ERROR:ABORT' }] });
    await expectSame();
  });
});
