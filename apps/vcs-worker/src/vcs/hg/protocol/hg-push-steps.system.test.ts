import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { filesChangedBy, syncsDuring } from '../../testing/watched-files.ts';
import { openHgProtocolBench, waitMs, type HgProtocolBench } from '../../testing/hg-protocol-bench.ts';
import { bundleBomb } from '../../testing/hostile-hg.ts';
import { commitHg, hg } from '../../testing/tools.ts';
import { neverAborted } from '../../testing/workbench.ts';
import { bundlePath, createHgPushSteps, readReply, writeArrived } from './hg-push-steps.ts';
import { createHgProtocol } from './hg-protocol.ts';
import { bundleStart } from './push-reply.ts';

const extensionAt = (name: string) => fileURLToPath(new URL(`../../testing/mercurial/${name}`, import.meta.url));
const [keptPart, talkative] = [extensionAt('kept_part.py'), extensionAt('talkative.py')];

let bench: HgProtocolBench;
let source = '';
let pushed = '';
beforeAll(async () => {
  bench = await openHgProtocolBench();
  source = await bench.freshRepository();
  pushed = await commitHg(source, { file: 'pushed' }, '1700000000 0');
}, waitMs);
afterAll(() => bench.close());

const recover = async (path: string) => {
  await hg(path, 'recover').catch(() => {});
};
const stepsOf = () => createHgPushSteps(bench.protocol, { recover });
const allow = async () => {};
const headsOf = (path: string) => hg(path, 'heads', '-T', '{node}').catch(() => '');

/** Returns the bytes of a part of a bundle, with an id of one byte. */
function partOf(name: string, id: number): Buffer {
  const head = Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([0, 0, 0, id, 0, 0])]);
  return Buffer.concat([Buffer.from([0, 0, 0, head.length]), head, Buffer.alloc(4)]);
}

/** Makes a directory in which all changesets of the source have arrived, and an empty repository. */
async function arrived() {
  const path = await bench.freshRepository();
  const directory = `${path}.push`;
  await mkdir(directory);
  await hg(source, 'bundle', '-q', '--all', '--type', 'none-v2', bundlePath(directory));
  await writeArrived(directory, { command: 'unbundle', caps: '', args: 'heads=666f726365' });
  return { path, push: { directory, changes: [] } };
}

it('a push becomes visible, and is known as done from its directory', async () => {
  const { path, push } = await arrived();
  const steps = stepsOf();
  await steps.prepare(path, push);
  expect(await steps.settle(path, push)).toBe(false);
  await steps.changeNames(path, push, allow);
  await steps.finish(path, push);
  expect(await headsOf(path)).toBe(pushed);
  expect(await steps.settle(path, push)).toBe(true);
});

it('each file that a push changes is synced', async () => {
  const { path, push } = await arrived();
  const steps = stepsOf();
  let changed: readonly string[] = [];
  const synced = await syncsDuring(async () => {
    await steps.prepare(path, push);
    changed = await filesChangedBy(path, () => steps.changeNames(path, push, allow));
    await steps.finish(path, push);
  });
  expect(changed).toEqual(expect.arrayContaining([join(path, '.hg/store/00changelog.i')]));
  expect([...synced]).toEqual(expect.arrayContaining([...changed, join(path, '.hg/store'), join(path, '.hg')]));
});

it('D8 an answer that is too long is not kept, and the success of the push is told without it', async () => {
  const { path, push } = await arrived();
  const socketDir = join(bench.directory, 'sockets-talkative');
  await mkdir(socketDir);
  const hgCommand = [...bench.options.hgCommand, `--config=extensions.talkative=${talkative}`];
  const protocol = createHgProtocol({ ...bench.options, hgCommand, socketDir });
  const steps = createHgPushSteps(protocol, { recover });
  const bundle = bundlePath(push.directory);
  const answerTo = async (content: Buffer) => {
    await writeFile(bundle, content);
    await writeFile(`${bundle}.answer`, await protocol.success(path, bundle, neverAborted));
    return (await hg(path, 'debugbundle', `${bundle}.answer`)).split('\n');
  };
  // A client that asks for an answer, which the bundle of a file does not.
  const silent = await readFile(bundle);
  const asking = Buffer.concat([bundleStart, partOf('REPLYCAPS', 9), silent.subarray(bundleStart.length)]);
  await writeFile(bundle, asking);
  await steps.prepare(path, push);
  await steps.changeNames(path, push, allow);
  expect(await headsOf(path)).toBe(pushed);
  expect(await readReply(push.directory, 'applied')).toBeNull();
  const changegroup = 'reply:changegroup -- {in-reply-to: 0, return: 1} (mandatory: False)';
  expect(await answerTo(asking)).toEqual(['Stream params: {}', changegroup]);
  expect(await answerTo(silent)).toEqual(['Stream params: {}']);
  const parts = [partOf('REPLYCAPS', 0), partOf('BOOKMARKS', 1), partOf('PUSHKEY', 7), partOf('pushkey', 8)];
  const pushkey = (id: number) => `reply:pushkey -- {in-reply-to: ${id}, return: 1} (mandatory: False)`;
  expect(await answerTo(Buffer.concat([bundleStart, ...parts, Buffer.alloc(4)]))).toEqual([
    'Stream params: {}',
    pushkey(7),
    pushkey(8),
  ]);
  await protocol.close();
});

it('F4 nothing is visible while the worker has not said that it may be', async () => {
  const { path, push } = await arrived();
  const steps = stepsOf();
  await steps.prepare(path, push);
  const lost = async () => {
    expect(await headsOf(path)).toBe('');
    throw new Error('lost');
  };
  await expect(steps.changeNames(path, push, lost)).rejects.toThrow('lost');
  expect(await steps.settle(path, push)).toBe(false);
  expect(await headsOf(path)).toBe('');
  await hg(path, 'verify', '-q');
  await expect(steps.changeNames(path, push, allow)).resolves.toBeUndefined();
  expect(await headsOf(path)).toBe(pushed);
});

it('what cannot be applied is refused with a text, which is the answer too', async () => {
  const { path, push } = await arrived();
  await writeFile(bundlePath(push.directory), 'no bundle');
  const steps = stepsOf();
  await steps.prepare(path, push);
  await expect(steps.changeNames(path, push, allow)).rejects.toMatchObject({ name: 'PushRefusedError' });
  expect(String(await readReply(push.directory, 'refused'))).not.toContain(path);
  expect(await readReply(push.directory, 'applied')).toBeNull();
});

it('F3 a bundle of the first kind, as clients without bundles of the second kind send, is refused whole', async () => {
  const { path, push } = await arrived();
  await hg(source, 'bundle', '-q', '--all', '--type', 'none-v1', bundlePath(push.directory));
  expect((await readFile(bundlePath(push.directory))).toString('latin1', 0, 6)).toBe('HG10UN');
  const steps = stepsOf();
  await steps.prepare(path, push);
  const refused = { name: 'PushRefusedError', message: expect.stringContaining('of a kind that is not served here') };
  await expect(steps.changeNames(path, push, allow)).rejects.toMatchObject(refused);
  expect(await headsOf(path)).toBe('');
  expect(await steps.settle(path, push)).toBe(false);
});

it('F10 D8 a bundle that unpacks to more memory than its process may have changes nothing', async () => {
  const { path, push } = await arrived();
  const bomb = bundleBomb(600);
  expect(bomb.length).toBeLessThan(1_000_000);
  await writeFile(bundlePath(push.directory), bomb);
  const socketDir = join(bench.directory, 'sockets-bomb');
  await mkdir(socketDir);
  const limits = { ...bench.options.limits, dataBytes: 300 * 1024 * 1024 };
  const protocol = createHgProtocol({ ...bench.options, limits, socketDir });
  const steps = createHgPushSteps(protocol, { recover });
  await steps.prepare(path, push);
  await expect(steps.changeNames(path, push, allow)).rejects.toMatchObject({ kind: 'too-large' });
  expect(await steps.settle(path, push)).toBe(false);
  expect(await headsOf(path)).toBe('');
  await hg(path, 'verify', '-q');
  await protocol.close();
});

it.each(['remote-changegroup', 'stream2'])(
  'F3 D1 a Mercurial that takes the part `%s` is not started',
  async (part) => {
    const failures: unknown[] = [];
    const socketDir = join(bench.directory, `sockets-${part}`);
    await mkdir(socketDir);
    const protocol = createHgProtocol({
      ...bench.options,
      hgCommand: [...bench.options.hgCommand, `--config=extensions.kept=${keptPart}`, `--config=kept.part=${part}`],
      socketDir,
      onStartFailure: (error) => void failures.push(error),
    });
    await expect(protocol.digest(bench.path)).rejects.toThrow('the fork server does not start');
    expect(failures).toHaveLength(1);
    await protocol.close();
  },
);
