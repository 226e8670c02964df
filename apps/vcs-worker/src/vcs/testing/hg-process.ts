import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

interface HgOutcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const headBytes = 5;

/**
 * One Mercurial for many commands of a test, one after the other: each start of a process would take a tenth of a second of
 * processor time. Its commands are those of `hg serve --cmdserver pipe`; it ends with this process.
 */
class HgProcess {
  readonly #child: ChildProcess;
  #received = Buffer.alloc(0);
  #running: Promise<unknown>;
  /** Takes each message; the first one is the greeting. */
  #onMessage: (channel: string, data: Buffer) => void = () => {};
  #fail: (error: Error) => void = () => {};

  constructor(command: readonly string[], env: NodeJS.ProcessEnv) {
    const [file = 'hg', ...prefix] = command;
    const args = [...prefix, '--config=ui.interactive=False', 'serve', '--cmdserver', 'pipe'];
    this.#child = spawn(file, args, { cwd: '/', env, stdio: ['pipe', 'pipe', 'ignore'] });
    this.#child.once('error', (error) => this.#fail(error));
    this.#child.once('exit', () => this.#fail(new Error('the Mercurial of the tests has ended')));
    this.#child.stdout?.on('data', (data: Buffer) => this.#take(data));
    // No test waits for it.
    this.#child.unref();
    this.#running = new Promise<void>((resolve, reject) => {
      this.#onMessage = () => resolve();
      this.#fail = reject;
    });
    this.#running.catch(() => {});
  }

  /** Runs a command in a directory, after those before it. */
  run(cwd: string, args: readonly string[]): Promise<HgOutcome> {
    const done = this.#running.then(() => this.#send(['--cwd', cwd, ...args]));
    this.#running = done.catch(() => {});
    return done;
  }

  #send(args: readonly string[]): Promise<HgOutcome> {
    const output = { o: [] as Buffer[], e: [] as Buffer[] };
    const textOf = (channel: 'o' | 'e') => Buffer.concat(output[channel]).toString();
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) reject(new Error('Mercurial has ended'));
      this.#onMessage = (channel, data) => {
        if (channel === 'o' || channel === 'e') output[channel].push(data);
        else if (channel === 'r') resolve({ exitCode: data.readInt32BE(), stdout: textOf('o'), stderr: textOf('e') });
        // It asks for input, and there is none.
        else this.#child.stdin?.write(Buffer.alloc(4));
      };
      const body = Buffer.from(args.join('\0'));
      const length = Buffer.alloc(4);
      length.writeUInt32BE(body.length);
      this.#child.stdin?.write(Buffer.concat([Buffer.from('runcommand\n'), length, body]));
    });
  }

  #take(data: Buffer): void {
    this.#received = Buffer.concat([this.#received, data]);
    while (this.#received.length >= headBytes) {
      const channel = String.fromCharCode(this.#received.readUInt8(0));
      const asksForInput = channel === 'I' || channel === 'L';
      const end = headBytes + (asksForInput ? 0 : this.#received.readUInt32BE(1));
      if (this.#received.length < end) return;
      const message = this.#received.subarray(headBytes, end);
      this.#received = this.#received.subarray(end);
      this.#onMessage(channel, message);
    }
  }
}

/** Commands that neither run long nor talk to another process. */
const shared = new Set(
  (
    'init addremove commit log verify update merge remove rename manifest files cat bookmark bookmarks branch ' +
    'branches heads phase tag'
  ).split(' '),
);

/** Returns whether a command can share a process with others: settings may load extensions, which would stay. */
function isShareable(cwd: string, args: readonly string[]): boolean {
  const hasSettings = args.some((arg) => /^(--config|--cwd|-R|--repository)/.test(arg));
  return shared.has(args[0] ?? '') && !hasSettings && !existsSync(join(cwd, '.hg/hgrc'));
}

/** Returns a function that runs Mercurial in a directory, and returns its stdout; a failure throws. */
export function hgRunner(command: readonly string[], env: NodeJS.ProcessEnv) {
  let common: HgProcess | undefined;
  const [file = 'hg', ...prefix] = command;
  return async (cwd: string, ...args: string[]): Promise<string> => {
    if (!isShareable(cwd, args)) {
      const { stdout } = await promisify(execFile)(file, [...prefix, ...args], { cwd, env, maxBuffer: 1 << 28 });
      return stdout;
    }
    common ??= new HgProcess(command, env);
    const { exitCode, stdout, stderr } = await common.run(cwd, args);
    if (exitCode !== 0) throw new Error(`Command failed: hg ${args.join(' ')}\n${stderr}`);
    return stdout;
  };
}
