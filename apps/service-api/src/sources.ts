import { createReadStream } from 'node:fs';
import { codeOf, UsageError } from './client-error.ts';

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

/** Returns the options with the API key itself, which `--apikey=@FILE` and `--apikey=-` keep out of the list of processes. */
export async function readKey<O extends { readonly apikey?: string }>(options: O, sources: Sources): Promise<O> {
  const { apikey } = options;
  // No key begins with an at sign: keys are 40 hexadecimal digits.
  if (apikey === undefined || !(apikey === '-' || apikey.startsWith('@'))) return options;
  const key = (await sources.read(apikey, '--apikey')).trim();
  if (key === '') throw new UsageError('Option --apikey needs a value, and what it names is empty');
  return { ...options, apikey: key };
}

/** One argument of a call: its value, or the source of its value. */
export interface Item {
  readonly name: string;
  readonly value: string;
  readonly isSource: boolean;
}

const fromSource = /^([^:=]+)=(@.+|-)$/s;

/**
 * Parses `name:value` words, split at the first colon, and `name=@FILE` and `name=-`, whose values are elsewhere. A value
 * after a colon is always meant literally, since scripts of older clients send values such as `@all` and `-`.
 */
export function parseItems(items: readonly string[]): readonly Item[] {
  return items.map((item) => {
    const [, name, source] = fromSource.exec(item) ?? [];
    if (name !== undefined && source !== undefined) return { name, value: source, isSource: true };
    const colon = item.indexOf(':');
    if (colon === -1) throw new UsageError('Error parsing arguments');
    return { name: item.slice(0, colon), value: item.slice(colon + 1), isSource: false };
  });
}

/** Returns the arguments to send, all of them strings; the last value of a name counts. */
export async function readItems(items: readonly Item[], sources: Sources): Promise<Readonly<Record<string, string>>> {
  const entries: (readonly [string, string])[] = [];
  for (const { name, value, isSource } of items) {
    entries.push([name, isSource ? await sources.read(value, JSON.stringify(name)) : value]);
  }
  return Object.fromEntries(entries);
}
