import { createReadStream } from 'node:fs';
import { UsageError } from './client-error.ts';
import { codeOf } from './failure-reason.ts';

/** Largest value that is read: services accept request bodies of this size by default. */
export const sourceBytesMax = 1_048_576;

/** Reads values from where the command line says they are. */
export interface Sources {
  /** Reads `@FILE`, or standard input for `-` and `@-`, for what an error names as `use`. */
  read(source: string, use: string): Promise<string>;
}

function decode(bytes: Uint8Array, use: string): string {
  try {
    // One line break at the end belongs to the file, not to the value.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '');
  } catch {
    throw new UsageError(`Could not read the value of ${use}: it is not UTF-8 text`);
  }
}

async function readWhole(chunks: AsyncIterable<Uint8Array>, use: string): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > sourceBytesMax) break;
      parts.push(chunk);
    }
  } catch (error) {
    throw new UsageError(`Could not read the value of ${use}: ${codeOf(error)}`);
  }
  if (bytes <= sourceBytesMax) return decode(Buffer.concat(parts), use);
  throw new UsageError(`Could not read the value of ${use}: it has more than ${sourceBytesMax} bytes`);
}

export function createSources(input: () => AsyncIterable<Uint8Array>): Sources {
  let inputUse: string | undefined;
  return {
    async read(source, use) {
      if (source !== '-' && source !== '@-') return readWhole(createReadStream(source.slice(1)), use);
      if (inputUse !== undefined) {
        throw new UsageError(`Standard input cannot be the value of both ${inputUse} and ${use}`);
      }
      inputUse = use;
      return readWhole(input(), use);
    },
  };
}
