import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { bundleScript } from '../../../../../../tests/harness/bundle-script.ts';
import { openSpawner, type OpenSpawner } from '../../testing/open-spawner.ts';
import { commandLines } from '../../testing/processes.ts';
import { SpawnerLostError, type SpawnedChild } from './spawned-child.ts';
import { Spawner } from './spawner.ts';

const env = { PATH: process.env['PATH'] };
let opened: OpenSpawner;
let directory: string;
let spawner: Spawner;

beforeAll(async () => {
  opened = await openSpawner();
  ({ directory, spawner } = opened);
});
afterAll(() => opened.close());

async function textOf(child: SpawnedChild): Promise<string> {
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.resume();
  await once(child, 'close');
  return text;
}

async function expectGone(mark: string): Promise<void> {
  const isGone = async () =>
    expect([...(await commandLines()).values()].filter((line) => line.includes(mark))).toEqual([]);
  await vi.waitFor(isGone, { timeout: 20_000 });
}

it('gives each of many commands its own streams', async () => {
  const texts = Array.from({ length: 100 }, async (_, number) => {
    const child = await spawner.run(['cat'], env);
    child.stdin.end(`${number}`.repeat(number));
    return textOf(child);
  });
  expect(await Promise.all(texts)).toEqual(Array.from({ length: 100 }, (_, number) => `${number}`.repeat(number)));
});

it('tells the system’s error of a command that does not exist', async () => {
  await expect(spawner.run(['/nonexistent/git'], env)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('answers a start without a program, by which it shows that it lives', async () => {
  await expect(spawner.run([], {})).rejects.not.toBeInstanceOf(SpawnerLostError);
  expect(spawner.isReady).toBe(true);
});

it('notes that its process has died, once', async () => {
  let noted = 0;
  const other = new Spawner(join(directory, 'noted'), () => (noted += 1));
  await other.start();
  expect(await textOf(await other.run(['echo', 'own'], env))).toBe('own\n');
  process.kill(other.pid ?? 0, 'SIGKILL');
  await vi.waitFor(() => expect(noted).toBe(1), { timeout: 20_000 });
  other.close();
  await vi.waitFor(() => expect(other.isReady).toBe(false), { timeout: 20_000 });
  expect(noted).toBe(1);
});

it('takes a process for lost that does not answer, which ends its commands and the start of others', async () => {
  const noted: string[] = [];
  const other = new Spawner(join(directory, 'hung'), (reason) => noted.push(reason), 2_000);
  await other.start();
  await vi.waitFor(() => expect(other.isReady).toBe(true), { timeout: 20_000 });
  const child = await other.run(['cat'], env);
  const lost = once(child, 'lost');
  const { pid } = other;
  process.kill(pid ?? 0, 'SIGSTOP');
  await expect(other.run(['cat'], env)).rejects.toBeInstanceOf(SpawnerLostError);
  await lost;
  expect(child.signalCode).toBe('SIGKILL');
  expect(noted).toEqual(['the process does not answer']);
  await vi.waitFor(() => expect(other.isReady).toBe(true), { timeout: 20_000 });
  expect(other.pid).not.toBe(pid);
  expect(await textOf(await other.run(['echo', 'again'], env))).toBe('again\n');
  other.close();
});

it('D12 ends a command that is killed while its process does not answer', async () => {
  const noted: string[] = [];
  const other = new Spawner(join(directory, 'frozen'), (reason) => noted.push(reason), 2_000);
  await other.start();
  await vi.waitFor(() => expect(other.isReady).toBe(true), { timeout: 20_000 });
  const mark = `63.${process.pid}`;
  const child = await other.run(['sleep', mark], env);
  const closed = textOf(child);
  process.kill(other.pid ?? 0, 'SIGSTOP');
  child.killGroup();
  await closed;
  expect(child.signalCode).toBe('SIGKILL');
  await expectGone(mark);
  expect(noted).toEqual(['the process does not answer']);
  other.close();
});

it('opens its socket again when that was removed', async () => {
  const path = join(directory, 'removed');
  const other = new Spawner(path);
  await other.start();
  await rm(path);
  await expect(other.run(['cat'], env)).rejects.toBeInstanceOf(SpawnerLostError);
  expect(other.isReady).toBe(false);
  await vi.waitFor(() => expect(other.isReady).toBe(true), { timeout: 20_000 });
  expect(await textOf(await other.run(['echo', 'again'], env))).toBe('again\n');
  other.close();
});

it('is not ended by a signal that its worker gets, too', async () => {
  const { pid } = spawner;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(pid ?? 0, signal);
  expect(await textOf(await spawner.run(['echo', 'on'], env))).toBe('on\n');
  expect(spawner.pid).toBe(pid);
});

it('gives a stranger’s connection to no command', async () => {
  const stranger = createConnection(join(directory, 'socket'));
  stranger.on('error', () => {}).write('0'.repeat(33));
  await once(stranger, 'close');
  expect(await textOf(await spawner.run(['echo', 'own'], env))).toBe('own\n');
});

it('ends its commands when it dies, and is followed by another one', async () => {
  const mark = `61.${process.pid}`;
  const child = await spawner.run(['sh', '-c', `sleep ${mark} & sleep ${mark}`], env);
  const closed = textOf(child);
  const { pid } = spawner;
  process.kill(pid ?? 0, 'SIGKILL');
  expect(await closed).toBe('');
  expect(child.signalCode).toBe('SIGKILL');
  await expectGone(mark);
  await vi.waitFor(() => expect(spawner.isReady).toBe(true), { timeout: 20_000 });
  expect(spawner.pid).not.toBe(pid);
  expect(await textOf(await spawner.run(['echo', 'again'], env))).toBe('again\n');
});

it('D12 dies with its process, and its commands that are to die with it, even suspended ones', async () => {
  const mark = `62.${process.pid}`;
  const script = `
    import { readFileSync } from 'node:fs';
    import { setTimeout } from 'node:timers/promises';
    import { Spawner } from './spawner.ts';
    const spawner = new Spawner(process.argv[1]);
    await spawner.start();
    const child = await spawner.run(['setpriv', '--pdeathsig', 'KILL', '--', 'sleep', '${mark}'], { PATH: process.env.PATH });
    // As setpriv it would not die yet.
    while (!readFileSync('/proc/' + child.pid + '/cmdline', 'utf8').startsWith('sleep')) await setTimeout(1);
    process.kill(child.pid, 'SIGSTOP');
    console.log(spawner.pid);`;
  const program = await bundleScript(script, import.meta.dirname);
  const path = join(directory, 'other');
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program, path], {
    // From there it finds its program.
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(parent.stdout, 'data');
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  await expectGone(mark);
  await expectGone(path);
});
