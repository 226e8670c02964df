import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Path of the command-line client. */
export const serviceApiPath = fileURLToPath(new URL('../../apps/service-api/bin/service-api.js', import.meta.url));

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command-line client in an environment with PATH, HOME and `env` alone; `exitCode` is -1 without a code. */
export async function serviceApi(args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  return new Promise((resolve) => {
    const own = { PATH: process.env['PATH'], HOME: '/nonexistent', ...env };
    execFile(process.execPath, [serviceApiPath, ...args], { env: own, maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
      const exitCode = error ? (typeof error.code === 'number' ? error.code : -1) : 0;
      resolve({ exitCode, stdout, stderr });
    });
  });
}
