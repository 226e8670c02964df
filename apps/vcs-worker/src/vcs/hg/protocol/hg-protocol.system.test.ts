import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rename, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleArgs, openHgProtocolBench, waitMs, type HgProtocolBench } from '../../testing/hg-protocol-bench.ts';
import { commitHg, hg } from '../../testing/tools.ts';

const { signal } = new AbortController();

let bench: HgProtocolBench;

beforeAll(async () => {
  bench = await openHgProtocolBench();
}, waitMs);

afterAll(() => bench.close());

describe('commands', () => {
  it('are answered as hgweb answers them', async () => {
    const plain = { type: 'mercurial-0.1' };
    expect(await bench.ask('heads')).toEqual({ ...plain, text: `${bench.id}\n` });
    expect(await bench.ask('branchmap')).toEqual({ ...plain, text: `default ${bench.id}` });
    expect(await bench.ask('lookup', 'key=tip')).toEqual({ ...plain, text: `1 ${bench.id}\n` });
    expect(await bench.ask('known', `nodes=${bench.id}+${'1'.repeat(40)}`)).toEqual({ ...plain, text: '10' });
    expect(await bench.ask('known', 'nodes=')).toEqual({ ...plain, text: '' });
    expect(await bench.ask('batch', `cmds=heads+%3Bknown+nodes%3D${bench.id}`)).toEqual({
      ...plain,
      text: `${bench.id}\n;1`,
    });
    expect(await bench.ask('listkeys', 'namespace=phases')).toMatchObject({
      text: expect.stringContaining('publishing\tTrue'),
    });
    expect(await bench.ask('between', `pairs=${bench.id}-${'0'.repeat(40)}`)).toEqual({ ...plain, text: '\n' });
    expect(await bench.ask('branches', `nodes=${bench.id}`)).toMatchObject({ text: expect.stringContaining(bench.id) });
    expect((await bench.ask('hello')).text).toContain('capabilities: ');
    expect(await bench.ask('protocaps', 'caps=x')).toEqual({ ...plain, text: 'OK' });
    for (const [command, args] of [
      ['changegroup', `roots=${bench.id}`],
      ['changegroupsubset', `bases=${'0'.repeat(40)}&heads=${bench.id}`],
    ] as const) {
      expect((await bench.ask(command, args)).type).toBe('mercurial-0.1');
    }
  });

  it('announce nothing that is not served', async () => {
    const { text } = await bench.ask('capabilities');
    const words = decodeURIComponent(text);
    for (const word of ['getbundle', 'httpheader=1024', 'compression=zstd,zlib', 'changegroup=01,02']) {
      expect(words).toContain(word);
    }
    for (const word of ['remote-changegroup', 'digests', 'stream', 'clonebundles', 'largefiles', 'lfs', 'narrow']) {
      expect(words).not.toContain(word);
    }
  });

  it('let clients send arguments in bodies where headers would not hold the ids of all heads', async () => {
    const of = await bench.freshRepository();
    const announced = async () =>
      (await bench.ask('capabilities', '', { of })).text.split(' ').includes('httppostargs');
    await hg(of, 'debugbuilddag', `.:r ${'*r '.repeat(500)}`);
    expect(await announced()).toBe(false);
    await hg(of, 'debugbuilddag', '--from-existing', '--new-file', '+1');
    expect(await announced()).toBe(true);
  });

  it('send bundles in the best compression that the client has', async () => {
    const ways: [string, string, string][] = [
      ['', 'mercurial-0.1', 'x'],
      ['0.1', 'mercurial-0.1', 'x'],
      ['0.1 0.2 comp=zstd,zlib,none', 'mercurial-0.2', '\x04zstd'],
      ['0.1 0.2 comp=none,zlib', 'mercurial-0.2', '\x04zlib'],
      ['0.1 0.2', 'mercurial-0.2', '\x04zlib'],
      ['0.1 0.2 comp=none', 'mercurial-0.1', 'x'],
    ];
    for (const [caps, type, begin] of ways) {
      const answer = await bench.ask('getbundle', bundleArgs(bench.id), { caps });
      expect(answer.type).toBe(type);
      expect(answer.text.startsWith(begin)).toBe(true);
    }
    expect(await bench.ask('getbundle', `heads=${bench.id}`)).toMatchObject({
      type: 'hg-error',
      text: expect.stringContaining('bundle2 required'),
    });
  });
});

describe('D1 hostile requests', () => {
  it.each([
    ['pushkey', '', 'not served'],
    ['unbundle', 'heads=', 'not served'],
    ['clonebundles', '', 'not served'],
    ['stream_out', '', 'not served'],
    ['debugwireargs', 'one=1&two=2', 'not served'],
    ['batch', 'cmds=pushkey+namespace%3Dbookmarks,key%3Dx,old%3D,new%3D', 'not served'],
    ['batch', 'cmds=heads+%3Bunbundle+heads%3D', 'not served'],
    ['batch', 'cmds=batch+cmds%3Dheads ', 'not served'],
    ['batch', 'cmds=', 'not served'],
    ['batch', 'cmds=known+nodes', 'malformed'],
    ['batch', 'cmds=known+', 'lacks an argument'],
    ['batch', '', 'lacks the argument `cmds`'],
    ['lookup', '', 'lacks the argument `key`'],
    ['known', 'nodes=--config', 'Ids must be complete'],
    ['known', `nodes=${'a'.repeat(39)}`, 'Ids must be complete'],
    ['between', 'pairs=tip-null', 'Ids must be complete'],
    ['getbundle', 'heads=all()', 'Ids must be complete'],
    ['changegroup', 'roots=../../etc/passwd', 'Ids must be complete'],
  ])('%s %s is refused in words', async (command, args, text) => {
    expect(await bench.ask(command, args)).toEqual({ type: 'hg-error', text: expect.stringContaining(text) });
  });

  it.each(['--config=extensions.x=/x.py', 'all()', '../x', 'x\0y', "matching('x')", 'ü', '\n'])(
    'looks %j up as a name alone',
    async (key) => {
      const { text } = await bench.ask('lookup', `key=${encodeURIComponent(key)}`);
      expect(text.startsWith("0 unknown revision '")).toBe(true);
    },
  );

  it('show no error of Mercurial and no path', async () => {
    for (const [command, args] of [
      ['changegroup', `roots=${'1'.repeat(40)}`],
      ['branches', `nodes=${'1'.repeat(40)}`],
      ['listkeys', 'namespace=%ff'],
      ['getbundle', bundleArgs(bench.id, '&stream=1')],
    ] as const) {
      // The text of an error is for the log.
      const { text, kind } = await bench.ask(command, args).then(
        (answer) => ({ ...answer, kind: 'failed' }),
        (error: { kind: string }) => ({ text: '', kind: error.kind }),
      );
      expect([kind, text]).toEqual(['failed', expect.not.stringContaining(bench.directory)]);
    }
  });

  it('have a bounded number of commands', async () => {
    const { text } = await bench.ask('batch', `cmds=${'heads+%3B'.repeat(1_000)}heads+`);
    expect(text).toBe('A batch has at most 1000 commands\n');
  });

  it('cannot have more arguments than a limit', async () => {
    const many = async function* () {
      for (let at = 0; at < 10; at += 1) yield Buffer.alloc(1024 * 1024, 'x');
    };
    await expect(
      bench.protocol.serve(bench.path, { command: 'heads', caps: '', args: many() }, signal),
    ).rejects.toMatchObject({
      kind: 'failed',
    });
    expect((await bench.ask('heads')).text).toBe(`${bench.id}\n`);
  });
});

it('D2 secret changesets, hooks and settings of a repository are not for clients', async () => {
  const own = await bench.freshRepository();
  const open = await commitHg(own, { file: '1' }, '1700000000 0');
  const secret = await commitHg(own, { file: '2' }, '1700000001 0');
  await hg(own, 'phase', '--force', '--secret', '-r', secret);
  const ran = join(bench.directory, 'ran');
  const config = `[hooks]\npreoutgoing = touch ${ran}\n[server]\nbundle1 = True\n[extensions]\nx = ${ran}.py\n`;
  await writeFile(join(own, '.hg/hgrc'), config);
  expect((await bench.ask('heads', '', { of: own })).text).toBe(`${open}\n`);
  expect((await bench.ask('known', `nodes=${secret}`, { of: own })).text).toBe('0');
  expect((await bench.ask('lookup', `key=${secret}`, { of: own })).text).toMatch(/^0 /);
  await expect(bench.ask('getbundle', bundleArgs(secret), { of: own })).rejects.toMatchObject({ kind: 'failed' });
  expect(existsSync(ran)).toBe(false);
});

describe('C10 a damaged repository', () => {
  it('is an error, and nothing of it is told', async () => {
    const own = await bench.freshRepository();
    const head = await commitHg(own, { file: 'x'.repeat(300_000) }, '1700000000 0');
    await truncate(join(own, '.hg/store/00changelog.i'), 10);
    await expect(bench.ask('heads', '', { of: own })).rejects.toMatchObject({ kind: 'failed' });
    await expect(bench.ask('getbundle', bundleArgs(head), { of: own })).rejects.toMatchObject({ kind: 'failed' });
    await expect(bench.ask('heads', '', { of: join(bench.directory, 'none') })).rejects.toMatchObject({
      kind: 'failed',
    });
  });

  it('tells a client within the bundle that something is missing', async () => {
    const own = await bench.freshRepository();
    const head = await commitHg(own, { file: 'content' }, '1700000000 0');
    const data = join(own, '.hg/store/data');
    await rename(data, `${data}-away`);
    const { text } = await bench.ask('getbundle', bundleArgs(head), { of: own, caps: '0.1 0.2 comp=none' });
    const plain = await promisify(execFile)('python3', [
      '-c',
      'import sys, zlib; sys.stdout.buffer.write(zlib.decompress(bytes.fromhex(sys.argv[1])))',
      Buffer.from(text, 'latin1').toString('hex'),
    ]);
    expect(plain.stdout).toContain('unexpected error: the repository cannot be read');
    expect(plain.stdout).not.toContain(bench.directory);
    expect(bench.unreadable).toMatchObject([
      { kind: 'failed', message: expect.stringMatching(/told its client: [^]*File "/) },
    ]);
  });
});
