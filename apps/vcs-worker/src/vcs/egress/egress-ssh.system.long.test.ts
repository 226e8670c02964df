import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { RemoteRefusedError, type Remote } from '../remote/parse-remote.ts';
import { commandLines, environments } from '../testing/processes.ts';
import { makeSshKey, sshTools, startSshServer, type SshServer } from '../testing/ssh-server.ts';
import { commitGit, commitHg, git, hg } from '../testing/tools.ts';
import { neverAborted, openWorkbench, remoteOf, type Workbench } from '../testing/workbench.ts';

if (!sshTools) console.warn('Not run: remotes over ssh. TRUNKLINE_TEST_SSHD is not set; `npm test` finds an sshd.');

const bytes = 2_000_000;
const patience = { timeout: 30_000, interval: 50 };

describe.skipIf(!sshTools)('remotes over ssh', () => {
  let bench: Workbench;
  let server: SshServer;
  /** A server at an address that is not allowed: no connection may arrive here. */
  let victim: SshServer;
  /** A server that clients call by its IPv6 address. */
  let numbered: SshServer;
  let sshDir = '';
  /** Answers of the name server, which only the guard asks. */
  let addressesOf: (host: string) => readonly string[];

  beforeAll(async () => {
    if (!sshTools) return;
    bench = await openWorkbench();
    await chmod(bench.directory, 0o755);
    sshDir = await makeSshDir();
    const authorized = await readFile(join(sshDir, 'id_ed25519.pub'), 'utf8');
    const common = { tools: sshTools, authorized: authorized.trim() };
    server = bench.closeLater(await startSshServer({ ...common, directory: bench.freshPath(), host: '127.0.0.2' }));
    victim = bench.closeLater(await startSshServer({ ...common, directory: bench.freshPath(), host: '127.0.0.1' }));
    numbered = bench.closeLater(await startSshServer({ ...common, directory: bench.freshPath(), host: '::1' }));
    await writeFile(join(sshDir, 'known_hosts'), known());
  });
  afterAll(() => bench.close());

  beforeEach(() => {
    server.bytesMax = Infinity;
    addressesOf = (host) =>
      host === 'remote.example' ? ['127.0.0.2'] : host === 'victim.example' ? ['127.0.0.1'] : [];
  });

  function known(): string {
    return `${server.knownAs('remote.example')}${victim.knownAs('victim.example')}${victim.knownAs('127.0.0.1')}`;
  }

  async function makeSshDir(knownHosts = ''): Promise<string> {
    const directory = bench.freshPath();
    await mkdir(directory);
    if (sshTools) await makeSshKey(sshTools, join(directory, 'id_ed25519'));
    await writeFile(join(directory, 'known_hosts'), knownHosts);
    return directory;
  }

  type Options = Parameters<Workbench['open']>[0];
  const open = (options: Options = {}) =>
    bench.open({
      allowedRemotes: ['127.0.0.2/32'],
      lookup: async (host) => addressesOf(host),
      sshDir,
      ...(sshTools ? { sshProgram: sshTools.client } : {}),
      ...options,
    });

  describe.each(['git', 'hg'] as const)('%s', (type) => {
    let source = '';
    let rawId = '';
    let backends: Workbench['backends'];
    const commit = { git: commitGit, hg: commitHg }[type];
    const at = (host: string, { port, username } = server) =>
      remoteOf(type, `ssh://${username}@${host}:${port}/${encodeURI(source)}`);

    beforeAll(async () => {
      // A path that a shell on the way would split into words, or run as a command.
      source = join(bench.freshPath(), `it's $(touch x); y`);
      await mkdir(source, { recursive: true });
      if (type === 'git') await git(source, 'init', '-q', '-b', 'main', '.');
      else await hg(source, 'init', '.');
      rawId = await commit(source, { big: randomBytes(bytes / 2).toString('hex') });
      backends = await open();
    });

    /** Expects that neither a check of a remote nor an import from it succeeds. */
    async function expectNothingWith(remote: Remote, failing: object, using = backends): Promise<void> {
      const { [type]: backend } = using;
      const path = bench.freshPath();
      await expect(backend.checkRemote(remote, neverAborted)).rejects.toMatchObject(failing);
      await expect(backend.importFrom(path, 'uuid', remote, neverAborted)).rejects.toMatchObject(failing);
    }

    const leftOver = async () =>
      [...(await environments())].filter(([, text]) => text.includes(`TRUNKLINE_SSH_KEY=${sshDir}/`));

    it('D7 a clone and a pull receive their bytes through the egress guard', async () => {
      const backend = backends[type];
      const path = bench.freshPath();
      const before = server.bytes;
      await backend.checkRemote(at('remote.example'), neverAborted);
      await backend.importFrom(path, 'uuid', at('remote.example'), neverAborted);
      expect(await backend.tip(path)).toMatchObject({ rawId });
      expect(server.bytes - before).toBeGreaterThan(bytes / 2);
      const later = await commit(source, { later: '1' });
      await backend.pull(path, at('remote.example'), neverAborted);
      expect(await backend.tip(path)).toMatchObject({ rawId: later });
      rawId = later;
    });

    it('clones from a literal IPv6 address, with a key directory whose path is relative and has a space', async () => {
      const directory = await makeStranger(numbered.knownAs('::1'), 'with a space');
      const using = await open({ allowedRemotes: ['::1/128'], sshDir: relative(process.cwd(), directory) });
      const path = bench.freshPath();
      await using[type].importFrom(path, 'uuid', at('[::1]', numbered), neverAborted);
      expect(await using[type].tip(path)).toMatchObject({ rawId });
    });

    it('D7 refuses a host whose key is missing from known_hosts or differs', async () => {
      const message = expect.stringContaining('Host key verification failed');
      const earlier = server.log.length;
      for (const line of ['', victim.knownAs('x').replace(/^\S+/, `[remote.example]:${server.port}`)]) {
        const using = await open({ sshDir: await makeStranger(line) });
        await expectNothingWith(at('remote.example'), { failure: 'unreachable', message }, using);
      }
      expect(server.log.slice(earlier)).not.toContain('Accepted');
    });

    /** Makes a key directory with the same client key and other known hosts. */
    async function makeStranger(knownHosts: string, name = 'keys'): Promise<string> {
      const directory = join(bench.freshPath(), name);
      await mkdir(directory, { recursive: true });
      await writeFile(join(directory, 'id_ed25519'), await readFile(join(sshDir, 'id_ed25519')), { mode: 0o600 });
      await writeFile(join(directory, 'known_hosts'), knownHosts);
      return directory;
    }

    it('D7 fails with "needs login" when the remote does not accept the key, and tries no password', async () => {
      const earlier = server.log.length;
      const using = await open({ sshDir: await makeSshDir(known()) });
      const message = expect.stringContaining('Permission denied (publickey,password');
      await expectNothingWith(at('remote.example'), { failure: 'needs login', message }, using);
      expect(server.log.slice(earlier)).not.toMatch(/Accepted|Failed password/);
    });

    it('D7 does not connect to a forbidden address, by name or number, at an import or a later pull', async () => {
      const path = bench.freshPath();
      await backends[type].importFrom(path, 'uuid', at('remote.example'), neverAborted);
      const failing = { kind: 'remote-refused' };
      for (const host of ['victim.example', '127.1']) await expectNothingWith(at(host, victim), failing);
      for (const addresses of [['127.0.0.1'], ['127.0.0.2', '127.0.0.1'], ['127.0.0.2', '::1']]) {
        addressesOf = () => addresses;
        await expect(backends[type].pull(path, at('remote.example', victim), neverAborted)).rejects.toMatchObject(
          failing,
        );
      }
      expect(victim.connections).toBe(0);
    });

    it.each([
      '-oProxyCommand=RUN',
      'a@-oProxyCommand=RUN',
      '-oProxyCommand=RUN@remote.example',
      'a;RUN@remote.example',
      '$(RUN)',
      'x;RUN;',
      "'&RUN&'",
    ])('D6 ssh://%s runs no command, not even in a remote that bypasses the parser', async (template) => {
      const canary = join(sshDir, 'id_ed25519.canary');
      await rm(canary, { force: true });
      // Shells that ssh starts have this variable, so that the path of the file needs no slash here.
      const authority = template.replace('RUN', 'touch%20$TRUNKLINE_SSH_KEY.canary');
      const [host = '', username] = authority.split('@').toReversed();
      expect(() => remoteOf(type, `ssh://${authority}:${server.port}/x`)).toThrow(RemoteRefusedError);
      const remote: Remote = {
        scheme: 'ssh',
        url: `ssh://${host}:${server.port}/x`,
        username: username === undefined ? null : decodeURIComponent(username),
        password: null,
      };
      await expectNothingWith(remote, { kind: expect.any(String) });
      await expect(readFile(canary)).rejects.toThrow('ENOENT');
    });

    it('D8 a transfer ends at its byte limit and leaves no process', async () => {
      const small = await open({ importBytesMax: 300_000 });
      const before = server.bytes;
      const importing = small[type].importFrom(bench.freshPath(), 'uuid', at('remote.example'), neverAborted);
      await expect(importing).rejects.toMatchObject({ kind: 'too-large' });
      expect(server.bytes - before).toBeGreaterThan(300_000);
      await vi.waitFor(async () => expect(await leftOver()).toEqual([]), patience);
    });

    it('D8 a transfer that is cancelled or times out leaves no process', async () => {
      server.bytesMax = server.bytes + 300_000;
      const cancelling = new AbortController();
      const importing = backends[type].importFrom(bench.freshPath(), 'uuid', at('remote.example'), cancelling.signal);
      importing.catch(() => {});
      await vi.waitFor(() => expect(server.bytes).toBeGreaterThan(server.bytesMax), patience);
      const lines = await commandLines();
      const running = (await leftOver()).map(([id]) => lines.get(id) ?? '');
      expect(running.some((line) => line.includes('BatchMode=yes'))).toBe(true);
      expect(running.some((line) => line.includes('connect-command'))).toBe(true);
      cancelling.abort();
      await expect(importing).rejects.toMatchObject({ kind: 'cancelled' });
      await vi.waitFor(async () => expect(await leftOver()).toEqual([]), patience);

      server.bytesMax = server.bytes;
      const impatient = await open({ fetchTimeoutMs: 1_000 });
      const waiting = impatient[type].importFrom(bench.freshPath(), 'uuid', at('remote.example'), neverAborted);
      await expect(waiting).rejects.toMatchObject({ kind: 'timeout' });
      await vi.waitFor(async () => expect(await leftOver()).toEqual([]), patience);
    });
  });

  it('the victim counts a connection when its address is allowed', async () => {
    const { git: backend } = await open({ allowedRemotes: ['127.0.0.1/32'] });
    const remote = remoteOf('git', `ssh://${victim.username}@victim.example:${victim.port}/nowhere`);
    await expect(backend.checkRemote(remote, neverAborted)).rejects.toMatchObject({ failure: 'not a repository' });
    expect(victim.connections).toBe(1);
    expect(victim.log).toContain('Accepted publickey');
  });
});
