import { Client, InvalidCredentialsError } from 'ldapts';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { startDirectory } from '../harness/ldap-server.ts';

const directory = await startDirectory();
afterAll(() => directory.close());

function connect(): Client {
  const client = new Client({ url: directory.url, connectTimeout: 5000, timeout: 5000 });
  onTestFinished(() => client.unbind());
  return client;
}

it('has two people who bind with their passwords', async () => {
  expect(directory.people).toHaveLength(2);
  for (const person of directory.people) await connect().bind(directory.dnOf(person), person.password);
});

it('refuses a wrong password', async () => {
  const [ann, bob] = directory.people;
  if (ann === undefined || bob === undefined) throw new Error('nobody is there');
  await expect(connect().bind(directory.dnOf(ann), bob.password)).rejects.toThrow(InvalidCredentialsError);
});

it('shows its people to the reader', async () => {
  const client = connect();
  await client.bind(directory.readerDn, directory.readerPassword);
  const { searchEntries } = await client.search(directory.peopleDn, { filter: '(uid=ann)' });
  expect(searchEntries).toMatchObject([
    { dn: 'uid=ann,ou=people,dc=example,dc=com', cn: 'Ann Ånström', mail: 'ann@example.com' },
  ]);
});

it('shows nobody to a stranger', async () => {
  const { searchEntries } = await connect().search(directory.peopleDn, { filter: '(uid=ann)' });
  expect(searchEntries).toEqual([]);
});
