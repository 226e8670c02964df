import { UsageError } from './client-error.ts';
import type { Sources } from './sources.ts';

/** Returns the options with the API key itself, which `--apikey=@FILE` and `--apikey=-` keep out of the list of processes. */
export async function readKey<O extends { readonly apikey?: string }>(options: O, sources: Sources): Promise<O> {
  const { apikey } = options;
  // No key begins with an at sign: keys are 40 hexadecimal digits.
  if (apikey === undefined || !(apikey === '-' || apikey.startsWith('@'))) return options;
  const key = (await sources.read(apikey, '--apikey')).trim();
  if (key === '') throw new UsageError('Option --apikey needs a value, and what it names is empty');
  return { ...options, apikey: key };
}
