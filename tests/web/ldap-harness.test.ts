import { Client, InvalidCredentialsError } from 'ldapts';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { startLdap } from '../harness/ldap-server.ts';

const ldap = await startLdap();
afterAll(() => ldap.close());

function connect(): Client {
  const client = new Client({ url: ldap.url, connectTimeout: 5000, timeout: 5000 });
  onTestFinished(() => client.unbind());
  return client;
}

it('lets two users bind with their passwords', async () => {
  expect(ldap.people).toHaveLength(2);
  for (const person of ldap.people) await connect().bind(ldap.dnOf(person), person.password);
});

it('refuses a wrong password', async () => {
  const [ann, bob] = ldap.people;
  if (ann === undefined || bob === undefined) throw new Error('nobody is there');
  await expect(connect().bind(ldap.dnOf(ann), bob.password)).rejects.toThrow(InvalidCredentialsError);
});

it('shows its users to the reader', async () => {
  const client = connect();
  await client.bind(ldap.readerDn, ldap.readerPassword);
  const { searchEntries } = await client.search(ldap.peopleDn, { filter: '(uid=ann)' });
  expect(searchEntries).toMatchObject([
    { dn: 'uid=ann,ou=people,dc=example,dc=com', cn: 'Ann Ånström', mail: 'ann@example.com' },
  ]);
});

it('shows no user without a bind', async () => {
  const { searchEntries } = await connect().search(ldap.peopleDn, { filter: '(uid=ann)' });
  expect(searchEntries).toEqual([]);
});
