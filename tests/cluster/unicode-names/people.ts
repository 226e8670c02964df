import { createClient, type Client } from '../../harness/client.ts';
import { uniqueAscii } from '../../harness/unique-name.ts';
import type { NamesOfClass } from './names-of-class.ts';

export const password = 'correct horse бâтtery 電池';

export interface Person {
  readonly id: number;
  readonly username: string;
  readonly client: Client;
}

/** Creates a user whose name, and whose display name, are of the class. */
export async function makePerson(admin: Client, baseUrl: string, names: NamesOfClass, word: string): Promise<Person> {
  const username = names.of(word);
  await admin.result('create_user', {
    username,
    password,
    email: `${uniqueAscii('mail')}@example.com`,
    firstname: names.of(`first-${word}`),
    lastname: names.of(`last-${word}`),
  });
  const record = await admin.result<{ user_id: number; api_key: string }>('get_user', { userid: username });
  return { id: record.user_id, username, client: createClient(baseUrl, record.api_key) };
}
