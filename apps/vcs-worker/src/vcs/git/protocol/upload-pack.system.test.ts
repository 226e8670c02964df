import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectBytes } from '../../../collect-bytes.ts';
import { limitsByWork } from '../../process/command-limits.ts';
import { commit, file } from '../../testing/odd-git.ts';
import { fastImport } from '../../testing/feed-git.ts';
import { commandLines } from '../../testing/processes.ts';
import { git, gitCommand } from '../../testing/tools.ts';
import { openWorkbench, type Workbench } from '../../testing/workbench.ts';
import { VcsError } from '../../vcs-error.ts';
import { createUploadPack } from './upload-pack.ts';

const limits = limitsByWork({ memoryBytes: 2 ** 32, importBytesMax: 2 ** 30, fetchTimeoutMs: 30_000 }).oneShot;
const uploadPack = createUploadPack({ gitCommand, limits });
const { signal } = new AbortController();

let bench: Workbench;
let path = '';
let tip = '';

beforeAll(async () => {
  bench = await openWorkbench();
  path = bench.freshPath();
  await bench.backends.git.init(path, 'uuid');
  await fastImport(path, commit({ mark: 1, parents: [] }, [file('a', 'content')]));
  tip = await git(path, 'rev-parse', 'main');
});
afterAll(() => bench.close());

const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
const fetchBody = (...lines: string[]) => `${line('command=fetch')}0001${lines.map(line).join('')}0000`;

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

const serve = async (body: string, protocol = 2, of = path) =>
  (await collectBytes(uploadPack.serve(of, { protocol, body: piecesOf(body) }, signal))).toString('latin1');
const advertise = async (protocol: number, of = path) =>
  (await collectBytes(uploadPack.advertise(of, protocol, signal))).toString();

describe('advertise', () => {
  it('gives capabilities alone in version 2, without a process after the first', async () => {
    const first = await advertise(2);
    expect(first).toMatch(/^000eversion 2\n/);
    expect(first).toContain('filter');
    expect(first).not.toContain(tip);
    expect(await advertise(2, '/nonexistent')).toBe(first);
  });

  it('gives references in older versions, without hidden ones', async () => {
    await git(path, 'update-ref', 'refs/trunkline/hidden', tip);
    for (const protocol of [0, 1]) {
      const shown = await advertise(protocol);
      expect(shown).toMatch(/^001e# service=git-upload-pack\n0000/);
      expect(shown).toContain(`${tip} refs/heads/main`);
      expect(shown).not.toContain('hidden');
    }
  });

  it('throws for a path that is no repository', async () => {
    await expect(advertise(0, '/nonexistent')).rejects.toMatchObject({ kind: 'failed' });
    await expect(serve(fetchBody('done'), 2, '/nonexistent')).rejects.toMatchObject({ kind: 'failed' });
  });
});

describe('serve', () => {
  it('answers with a pack', async () => {
    expect(await serve(fetchBody(`want ${tip}`, 'done'))).toMatch(/^000dpackfile\n[\s\S]*PACK[\s\S]*0000$/);
  });

  it.each<[string, (id: string) => string, string]>([
    ['an object that is not there', () => fetchBody(`want ${'1'.repeat(40)}`, 'done'), 'not our ref'],
    ['a filter that is not allowed', (id) => fetchBody(`want ${id}`, 'filter sparse:oid=main:a', 'done'), 'filter'],
    ['a filter of many parts', (id) => fetchBody(`want ${id}`, 'filter combine:blob:none+tree:0', 'done'), 'filter'],
    ['a deep filter', (id) => fetchBody(`want ${id}`, 'filter tree:1', 'done'), 'filter'],
  ])('F9 tells the client why %s is refused', async (_what, bodyWith, text) => {
    const answer = await serve(bodyWith(tip));
    expect(answer).toContain('ERR ');
    expect(answer).toContain(text);
  });

  it('gives no commit that no shown reference reaches in older versions', async () => {
    const hidden = await git(path, 'commit-tree', '-m', 'unreached', `${tip}^{tree}`);
    const answer = await serve(`${line(`want ${hidden} no-progress\n`)}0000${line('done\n')}`, 0);
    expect(answer).toContain('ERR upload-pack: not our ref');
  });

  it.each(['', '0000', 'ffff', 'xxxx', line('command=evil'), line('command=fetch')])(
    'D8 ends for the malformed request %j',
    async (body) => {
      const outcome = await serve(body).catch((error: unknown) => (error instanceof VcsError ? error.kind : error));
      expect(['', 'failed']).toContain(String(outcome).startsWith('0') ? '' : outcome);
    },
  );

  it('C4 runs no hook and no command of a repository', async () => {
    const [tool, ran] = [bench.freshPath(), bench.freshPath()];
    await writeFile(tool, `#!/bin/sh\ntouch ${ran}\nexec "$@"\n`, { mode: 0o755 });
    const hooks = join(path, 'hooks');
    await mkdir(hooks, { recursive: true });
    for (const hook of ['post-upload-pack', 'pre-upload-pack', 'reference-transaction']) {
      await writeFile(join(hooks, hook), `#!/bin/sh\ntouch ${ran}\n`);
      await chmod(join(hooks, hook), 0o755);
    }
    await git(path, 'config', 'uploadpack.packObjectsHook', tool);
    await git(path, 'config', 'core.fsmonitor', tool);
    await git(path, 'config', 'core.alternateRefsCommand', tool);
    expect(await serve(fetchBody(`want ${tip}`, 'done'))).toContain('PACK');
    expect(existsSync(ran)).toBe(false);
  });

  it('D12 ends with its signal, with all that it has started', async () => {
    const ended = new AbortController();
    const waiting = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from(line('command=fetch'));
      await new Promise(() => {});
    };
    const pieces = uploadPack.serve(path, { protocol: 2, body: waiting() }, ended.signal)[Symbol.asyncIterator]();
    const next = pieces.next();
    next.catch(() => {});
    const isRunning = async () => [...(await commandLines()).values()].some((words) => words.includes(`\0${path}\0`));
    await expect.poll(isRunning, { timeout: 20_000 }).toBe(true);
    ended.abort();
    await expect(next).rejects.toMatchObject({ kind: 'cancelled' });
    await expect.poll(isRunning, { timeout: 20_000 }).toBe(false);
  });
});
