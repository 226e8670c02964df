import { afterEach, describe, expect, it, vi } from 'vitest';
import { commandCaller } from '../process/call-scope.ts';
import type { HgResult } from './command-server.ts';
import { createServerPool, NoServerError } from './server-pool.ts';

const options = { timeoutMs: 1_000, stdoutBytesMax: 1 };
const result: HgResult = { exitCode: 0, stdout: Buffer.alloc(0), stderr: '' };

class FakeServer {
  dead = false;
  commands = 0;
  bytes = 0;
  killed = false;
  finish: (error?: Error) => void = () => {};

  run(): Promise<HgResult> {
    this.commands += 1;
    return new Promise((resolve, reject) => {
      this.finish = (error) => (error ? reject(error) : resolve(result));
    });
  }

  memoryBytes(): Promise<number> {
    return Promise.resolve(this.bytes);
  }

  kill(): void {
    this.dead = true;
    this.killed = true;
  }
}

function poolOf(size: number) {
  const started: FakeServer[] = [];
  const pool = createServerPool(size, () => {
    const server = new FakeServer();
    started.push(server);
    return server;
  });
  const one = async (server: number) => {
    const running = pool.run([], options);
    await settle();
    started[server]?.finish();
    await running;
  };
  return { pool, started, one };
}

/** Runs the callbacks of all settled promises. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

afterEach(() => {
  vi.useRealTimers();
});

describe('createServerPool', () => {
  it('E6 a quarter of the queue is for one caller, and another one still waits in it', async () => {
    const { pool, started } = poolOf(1);
    const runAs = (caller: string) => commandCaller.run(caller, () => pool.run([], options));
    const waiting = Array.from({ length: 251 }, () => runAs('busy'));
    for (const one of waiting) one.catch(() => {});
    await settle();
    let refusal: unknown;
    runAs('busy').catch((error: unknown) => (refusal = error));
    await settle();
    // At once: a wait in vain ends with the same error, a second later.
    expect(refusal).toBeInstanceOf(NoServerError);
    const other = runAs('other');
    await settle();
    for (let turn = 0; turn < 3; turn += 1) {
      started[0]?.finish();
      await settle();
    }
    await expect(other).resolves.toEqual(result);
    pool.close();
  });

  it('D11 keeps no permit when a server cannot be started', async () => {
    let starts = 0;
    const pool = createServerPool(1, () => {
      starts += 1;
      throw new Error('too many open files');
    });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await expect(pool.run([], options)).rejects.toThrow('too many open files');
    }
    expect(starts).toBe(2);
  });

  it('reuses a free server and starts another only when all are busy', async () => {
    const { pool, started, one } = poolOf(2);
    await one(0);
    await one(0);
    expect(started).toHaveLength(1);
    const both = [pool.run([], options), pool.run([], options)];
    await settle();
    expect(started).toHaveLength(2);
    for (const server of started) server.finish();
    await Promise.all(both);
  });

  it('has commands of one caller wait in order for a free server', async () => {
    const { pool, started } = poolOf(1);
    const ended: number[] = [];
    const all = [0, 1, 2].map((index) => pool.run([], options).then(() => ended.push(index)));
    for (let index = 0; index < 3; index += 1) {
      await settle();
      started[0]?.finish();
    }
    await Promise.all(all);
    expect(ended).toEqual([0, 1, 2]);
    expect(started).toHaveLength(1);
  });

  it('E6 callers take turns for a free server, whatever the number of their commands', async () => {
    const { pool, started } = poolOf(1);
    const ended: string[] = [];
    const run = (name: string) =>
      commandCaller.run(name.slice(0, 1), () => pool.run([], options).then(() => ended.push(name)));
    const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(run);
    for (let index = 0; index < all.length; index += 1) {
      await settle();
      started[0]?.finish();
    }
    await Promise.all(all);
    expect(ended).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('refuses a waiting command at its timeout, and the server goes to the next one', async () => {
    vi.useFakeTimers();
    const { pool, started } = poolOf(1);
    const first = pool.run([], { ...options, timeoutMs: 10_000 });
    const late = pool.run([], options);
    late.catch(() => {});
    const patient = pool.run([], { ...options, timeoutMs: 10_000 });
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(late).rejects.toMatchObject({ kind: 'timeout' });
    started[0]?.finish();
    await first;
    await settle();
    started[0]?.finish();
    await expect(patient).resolves.toBe(result);
  });

  it('D11 replaces a server that died idle or in a command, also for a waiting command', async () => {
    const { pool, started, one } = poolOf(1);
    await one(0);
    if (started[0]) started[0].dead = true;
    await one(1);
    const failing = pool.run([], options);
    failing.catch(() => {});
    const waiting = pool.run([], options);
    await settle();
    if (started[1]) started[1].dead = true;
    started[1]?.finish(new Error('died'));
    await expect(failing).rejects.toThrow('died');
    await settle();
    started[2]?.finish();
    await expect(waiting).resolves.toBe(result);
    expect(started.map(({ killed }) => killed)).toEqual([true, true, false]);
  });

  it('D11 replaces a server after many commands', async () => {
    const { started, one } = poolOf(1);
    for (let time = 0; time < 1_000; time += 1) await one(0);
    await one(1);
    expect(started.map(({ killed }) => killed)).toEqual([true, false]);
  });

  it('D11 replaces a server that has grown', async () => {
    const { started, one } = poolOf(1);
    await one(0);
    if (started[0]) started[0].bytes = 1e9;
    for (let time = 1; time < 20; time += 1) await one(0);
    await one(1);
    expect(started.map(({ killed }) => killed)).toEqual([true, false]);
  });

  it('closing kills every server and refuses waiting and new commands', async () => {
    const { pool, started } = poolOf(1);
    const running = pool.run([], options);
    const waiting = pool.run([], options);
    waiting.catch(() => {});
    await settle();
    pool.close();
    await expect(waiting).rejects.toMatchObject({ kind: 'failed' });
    started[0]?.finish();
    await running;
    await expect(pool.run([], options)).rejects.toMatchObject({ kind: 'failed' });
    expect(started.map(({ killed }) => killed)).toEqual([true]);
  });
});
