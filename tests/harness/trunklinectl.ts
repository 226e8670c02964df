import { PassThrough, Readable, type Writable } from 'node:stream';
import { run } from '../../apps/trunklinectl/src/run.ts';
import type { Ran } from './service-api.ts';

interface Given {
  readonly env: Record<string, string>;
  /** Standard input. */
  readonly input?: string;
  /** Standard input, where it is no text. */
  readonly archive?: AsyncIterable<Uint8Array>;
  /** Takes what is written to standard output as bytes. */
  readonly output?: Writable;
}

/** Runs the administrators' program in this process, in an environment with `env` alone. */
export async function trunklinectl(
  words: readonly string[],
  { env, input = '', archive = Readable.from([]), output = new PassThrough() }: Given,
): Promise<Ran> {
  const shown = { stdout: '', stderr: '' };
  const exitCode = await run(words, env, {
    out: (text) => void (shown.stdout += text),
    bytes: output,
    input: archive,
    err: (text) => void (shown.stderr += text),
    columns: () => null,
    readSecret: async () => input,
    isTyped: false,
  });
  return { exitCode, ...shown };
}
