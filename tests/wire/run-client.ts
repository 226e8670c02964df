import { execFile } from 'node:child_process';

export interface ClientOutcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Environment of a user without settings of the system or the user, who is not asked for a login. */
const clientEnvironment = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  HGRCPATH: '',
  HGPLAIN: '1',
  HGENCODING: 'utf-8',
  LC_ALL: 'C.UTF-8',
};

/** Runs a client; the words begin with its program. */
export function runClient(words: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<ClientOutcome> {
  const [file = '', ...args] = words;
  return new Promise((resolve) => {
    const options = { cwd, env: { ...clientEnvironment, ...env }, maxBuffer: 1 << 28 };
    execFile(file, args, options, (error, stdout, stderr) => {
      const exitCode = error ? (typeof error.code === 'number' ? error.code : -1) : 0;
      resolve({ exitCode, stdout, stderr });
    });
  });
}

/** Runs a client that has to succeed; returns what it has printed. */
export async function runToEnd(words: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { exitCode, stdout, stderr } = await runClient(words, cwd, env);
  if (exitCode !== 0) throw new Error(`${words.slice(0, 9).join(' ')} ended with ${exitCode}: ${stderr || stdout}`);
  return stdout;
}
