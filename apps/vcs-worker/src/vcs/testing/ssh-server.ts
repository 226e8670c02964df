import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { git, plainEnvironment, run } from './tools.ts';

/** Paths of the sshd and ssh that `npm test` found or unpacked; undefined when `npm test` found none. */
export const sshTools = readTools();

interface SshTools {
  readonly server: string;
  readonly client: string;
}

export interface SshServer {
  readonly port: number;
  readonly username: string;
  /** Returns the line of known_hosts for this server under the name `host`. */
  knownAs(host: string): string;
  readonly connections: number;
  /** The stderr of sshd, for all connections. */
  readonly log: string;
  /** Number of bytes that sshd has written. */
  readonly bytes: number;
  /** Number of bytes after which the server sends nothing more. */
  bytesMax: number;
  close(): Promise<void>;
}

export interface SshServerOptions {
  readonly tools: SshTools;
  readonly directory: string;
  readonly host: string;
  /** The public key that the server accepts. */
  readonly authorized: string;
}

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
const username = isRoot ? 'remote' : userInfo().username;

function readTools(): SshTools | undefined {
  const { TRUNKLINE_TEST_SSHD: server, TRUNKLINE_TEST_SSH: client } = process.env;
  return server && client ? { server, client } : undefined;
}

/** Makes a key pair at `path` and returns the public key. */
export async function makeSshKey({ client }: SshTools, path: string): Promise<string> {
  await run(`${client}-keygen`, ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', path]);
  return (await readFile(`${path}.pub`, 'utf8')).trim();
}

/** Returns the environment of ssh sessions for SetEnv, with a PATH that has hg and git. */
async function sessionVariables(): Promise<string> {
  const path = [process.env['PATH'], await git('/', '--exec-path')].join(':');
  const variables = {
    ...plainEnvironment,
    PATH: path,
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: '*',
  };
  return Object.entries(variables)
    .map(([name, value]) => `"${name}=${value}"`)
    .join(' ');
}

async function writeServerFiles({ tools, directory, authorized }: SshServerOptions) {
  await mkdir(directory, { recursive: true });
  await chmod(directory, 0o755);
  const hostKey = join(directory, 'host-key');
  const publicKey = await makeSshKey(tools, hostKey);
  const [uid, gid] = isRoot ? [nobody, nobody] : [process.getuid?.(), process.getgid?.()];
  if (isRoot) await chown(hostKey, nobody, nobody);
  const files = {
    config: `HostKey ${hostKey}
AuthorizedKeysFile ${join(directory, 'authorized-keys')}
PasswordAuthentication yes
KbdInteractiveAuthentication yes
StrictModes no
UsePAM no
LogLevel VERBOSE
SetEnv ${await sessionVariables()}
`,
    'authorized-keys': `${authorized}\n`,
    passwd: `${username}:x:${uid}:${gid}::${directory}:/bin/sh\n`,
    group: `${username}:x:${gid}:\n`,
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
  return publicKey;
}

/**
 * Starts a server that runs a real sshd for each connection. The sshd never runs as root: when the tests do, it runs
 * with the ids of nobody, as a user that only its own passwd file has.
 */
export async function startSshServer(options: SshServerOptions): Promise<SshServer> {
  const { tools, directory, host } = options;
  const publicKey = await writeServerFiles(options);
  const env = {
    PATH: process.env['PATH'],
    NSS_WRAPPER_PASSWD: join(directory, 'passwd'),
    NSS_WRAPPER_GROUP: join(directory, 'group'),
  };
  const words = isRoot ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--'] : [];
  const [file, ...args] = [...words, tools.server, '-i', '-e', '-f', join(directory, 'config')];
  const sockets = new Set<Socket>();
  const ended: Promise<unknown>[] = [];
  const state = { connections: 0, log: '', bytes: 0, bytesMax: Infinity };

  const listener = createServer((socket) => {
    state.connections += 1;
    sockets.add(socket);
    const child = spawn(file, args, { env });
    ended.push(once(child, 'close'));
    child.stderr.on('data', (chunk: Buffer) => (state.log += chunk.toString('utf8')));
    child.stdout.on('data', (chunk: Buffer) => {
      state.bytes += chunk.length;
      if (state.bytes > state.bytesMax) child.stdout.pause();
      else socket.write(chunk);
    });
    child.stdout.on('end', () => socket.end());
    child.stdin.on('error', () => {});
    socket.on('error', () => {}).pipe(child.stdin);
    socket.on('close', () => {
      sockets.delete(socket);
      child.stdin.destroy();
      child.stdout.destroy();
    });
  });
  listener.listen(0, host);
  await once(listener, 'listening');
  const address = listener.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return Object.assign(state, {
    port,
    username,
    knownAs: (name: string) => `[${name}]:${port} ${publicKey}\n`,
    async close() {
      listener.close();
      for (const socket of sockets) socket.destroy();
      await Promise.all(ended);
    },
  });
}
