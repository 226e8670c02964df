import { readFile } from 'node:fs/promises';
import * as v from 'valibot';

const Package = v.object({ version: v.string() });

/** Returns the version of the service, which all of its packages have. */
export async function serviceVersion(): Promise<string> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  return v.parse(Package, JSON.parse(text)).version;
}
