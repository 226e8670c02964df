import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectBytes } from '../../../collect-bytes.ts';
import { limitsByWork } from '../../process/command-limits.ts';
import { feedGit } from '../../testing/feed-git.ts';
import { commitGit, git, gitCommand, run } from '../../testing/tools.ts';
import { neverAborted, openWorkbench, type Workbench } from '../../testing/workbench.ts';
import { createReceivePack } from './receive-pack.ts';
import { createUploadPack } from './upload-pack.ts';

const limits = limitsByWork({ memoryBytes: 2 ** 32, importBytesMax: 2 ** 30, fetchTimeoutMs: 30_000 });
const uploadPack = createUploadPack({ gitCommand, limits: limits.oneShot });
/** Receives pushes like one that has just started, which asks git. */
const newReceivePack = () => createReceivePack({ gitCommand, limits, timeoutMs: 30_000, bytesMax: 1e6 });

let bench: Workbench;
let work = '';
let base = '';
beforeAll(async () => {
  bench = await openWorkbench();
  work = bench.freshPath();
  await run('git', ['init', '-q', '-b', 'main', work]);
  base = await commitGit(work, { a: 'a' });
  await git(work, 'tag', '-a', '-m', 'tag', 'v1', base);
});
afterAll(() => bench.close());

const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
const bodyOf = (...args: string[]) =>
  Buffer.from(
    `${line('command=ls-refs\n')}${line('agent=git/2.39')}${line('object-format=sha1')}0001${args.map((one) => line(`${one}\n`)).join('')}0000`,
  );

async function* once(body: Buffer): AsyncGenerator<Uint8Array> {
  yield body;
}

const byGit = (path: string, body: Buffer) =>
  collectBytes(uploadPack.serve(path, { protocol: 2, body: once(body) }, neverAborted));
const listed = async (path: string, body: Buffer) => String(await uploadPack.list(path, body));

/** Makes a repository with the first commit and its tag, all of it packed. */
async function repository(): Promise<string> {
  const path = bench.freshPath();
  await bench.backends.git.init(path, 'uuid');
  await git(
    work,
    'push',
    '-q',
    path,
    `${base}:refs/heads/main`,
    'v1',
    `${base}:refs/heads/a/b.c`,
    `${base}:refs/heads/a-b`,
  );
  await git(path, 'pack-refs', '--all');
  return path;
}

const repositories: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  'whose references are packed': async () => {},
  'with single references beside the packed ones': async (path) => {
    const next = await commitGit(work, { a: 'next' });
    await git(work, 'push', '-q', path, `${next}:refs/heads/main`, `${next}:refs/heads/other`, ':refs/heads/a-b');
    await writeFile(join(path, 'refs/heads/other.lock'), '');
    await mkdir(join(path, 'refs/heads/none'));
  },
  'with hidden references': (path) => git(path, 'update-ref', 'refs/trunkline/hidden', base),
  'whose HEAD names no branch': (path) => git(path, 'symbolic-ref', 'HEAD', 'refs/heads/none'),
  'whose HEAD is a commit': (path) => git(path, 'update-ref', '--no-deref', 'HEAD', base),
  'without references': async (path) => {
    await rm(join(path, 'packed-refs'));
  },
};
const requests: Readonly<Record<string, readonly string[]>> = {
  'all that a clone asks for': [
    'peel',
    'symrefs',
    'unborn',
    'ref-prefix refs/heads/',
    'ref-prefix refs/tags/',
    'ref-prefix HEAD',
  ],
  'references alone': [],
  'one reference': ['peel', 'ref-prefix refs/heads/a'],
  'nothing that is there': ['symrefs', 'ref-prefix refs/none'],
};

describe.each(Object.keys(repositories))('a repository %s', (what) => {
  it.each(Object.keys(requests))('is listed as by git: %s', async (asked) => {
    const path = await repository();
    await repositories[what]?.(path);
    const body = bodyOf(...(requests[asked] ?? []));
    expect(await listed(path, body)).toBe(String(await byGit(path, body)));
  });

  it('is shown to who pushes as by git', async () => {
    const path = await repository();
    await repositories[what]?.(path);
    const receivePack = newReceivePack();
    const first = await collectBytes(receivePack.advertise(path, neverAborted));
    expect(String(await collectBytes(receivePack.advertise(path, neverAborted)))).toBe(String(first));
  });
});

it.each<[string, (path: string) => Promise<unknown>]>([
  ['a symbolic reference', (path) => git(path, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/main')],
  ['a tag in a file of its own', (path) => git(path, 'update-ref', 'refs/tags/v2', base)],
  ['a name beyond ASCII', (path) => git(path, 'update-ref', 'refs/heads/ä', base)],
  ['a name that git refuses', (path) => writeFile(join(path, 'refs/heads/.hidden'), `${base}\n`)],
  ['a file that is no reference', (path) => writeFile(join(path, 'refs/heads/x'), 'x')],
  ['an id of zeros', (path) => writeFile(join(path, 'refs/heads/x'), `${'0'.repeat(40)}\n`)],
  ['packed references in another form', (path) => writeFile(join(path, 'packed-refs'), `${base} refs/heads/main\n`)],
  ['a HEAD outside of the references', (path) => writeFile(join(path, 'HEAD'), 'ref: refs/heads/.invalid\n')],
  [
    'many single references',
    (path) =>
      feedGit(
        path,
        ['update-ref', '--stdin'],
        Array.from({ length: 40 }, (_, at) => `create refs/heads/${at} ${base}\n`).join(''),
      ),
  ],
])('%s is left to git', async (_what, change) => {
  const path = await repository();
  await change(path);
  expect(await uploadPack.list(path, bodyOf('peel'))).toBeNull();
});

it.each<[string, string]>([
  ['another command', `${line('command=fetch')}0000`],
  ['an unknown argument', bodyOf('peel', 'new').toString()],
  ['an unknown capability', `${line('command=ls-refs')}${line('new=1')}0000`],
  ['ids of another kind', `${line('command=ls-refs')}${line('object-format=sha256')}0000`],
  ['a request without its end', line('command=ls-refs')],
  ['two requests', `${bodyOf().toString()}${bodyOf().toString()}`],
  ['no lines', 'xxxx'],
  ['nothing', ''],
])('%s is left to git', async (_what, body) => {
  expect(await uploadPack.list(await repository(), Buffer.from(body))).toBeNull();
});
