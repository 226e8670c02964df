import { expect } from 'vitest';
import { exampleScenario } from '../../docs/example-scenario.ts';
import type { Client } from '../../harness/client.ts';
import { uniqueAscii } from '../../harness/unique-name.ts';
import type { NamesOfClass } from './names-of-class.ts';

/** The names of the scenario; those with a capital letter are names that pages show. */
const words = ['ann', 'bob', 'developers', 'tools', 'compiler', 'Ann', 'Lee', 'Leigh'];
/** Free texts, which get letters of the class, too. */
const texts = ['build server', 'Everything around building', 'Building and testing', 'From source to machine code'];

interface Walk {
  readonly client: Client;
  readonly names: NamesOfClass;
  readonly remoteUrl: string;
}

/** Returns the value of the scenario with names of the class; `mailbox` keeps addresses of two walks apart. */
function ofClass(value: unknown, { names, remoteUrl }: Walk, mailbox: string): unknown {
  if (typeof value !== 'string') return value;
  if (value.startsWith('https://')) return remoteUrl;
  if (value.includes('@')) return `${mailbox}-${value}`;
  if (texts.includes(value)) return names.of(value.replaceAll(' ', '-'));
  const segments = value.split('/');
  return segments.every((one) => words.includes(one)) ? segments.map((one) => names.of(one)).join('/') : value;
}

/** Returns the arguments that depend on what the calls before have made. */
async function idsOf(method: string, { client }: Walk, keyId: number): Promise<Record<string, unknown>> {
  if (method === 'revoke_api_key') return { api_key_id: keyId };
  if (method === 'restore_repo') {
    const [newest] = await client.result<{ repo_id: number }[]>('get_deleted_repos', { limit: 1 });
    return { id: newest?.repo_id };
  }
  if (!method.endsWith('_operation')) return {};
  const [newest] = await client.result<{ operation_id: string }[]>('list_operations', { limit: 1 });
  return { operation_id: newest?.operation_id };
}

/** Makes each call of the scenario with names of the class; `mayFail` is for a caller without the rights. */
export async function walkMethods(walk: Walk, mayFail: boolean): Promise<void> {
  const { client, names } = walk;
  const mailbox = uniqueAscii('mail');
  let keyId = 0;
  for (const [method, args] of exampleScenario) {
    const named = Object.fromEntries(
      Object.entries(args).map(([name, value]) => [name, ofClass(value, walk, mailbox)]),
    );
    const sent = mayFail ? named : { ...named, ...(await idsOf(method, walk, keyId)) };
    const { result, error } = await client.call(method, sent);
    const shown = `${method} ${JSON.stringify(sent)}`;
    if (!mayFail) expect(error, shown).toBeNull();
    expect(String(error), shown).not.toMatch(/^Internal server error|is busy|unavailable/);
    expect(names.brokenIn(JSON.stringify([result, error])), shown).toEqual([]);
    if (method === 'create_api_key' && !mayFail)
      keyId = (result as { api_key: { api_key_id: number } }).api_key.api_key_id;
  }
}
