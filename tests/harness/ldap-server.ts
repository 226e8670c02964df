import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort, guardedSpawn, StartError } from '@trunkline/local';
import { eventually } from './eventually.ts';
import { testTool } from './test-tool.ts';

const suffix = 'dc=example,dc=com';

export interface LdapPerson {
  readonly uid: string;
  readonly password: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly mail: string;
}

export interface TestLdap {
  readonly url: string;
  /** DN of the entry that has all people below it, as `uid=<uid>`. */
  readonly peopleDn: string;
  /** DN of the user who may read everything. */
  readonly readerDn: string;
  readonly readerPassword: string;
  readonly people: readonly LdapPerson[];
  dnOf(person: LdapPerson): string;
  close(): Promise<void>;
}

const ann = { uid: 'ann', password: 'ann-secret', firstName: 'Ann', lastName: 'Ånström', mail: 'ann@example.com' };
const bob = { uid: 'bob', password: 'bob-secret', firstName: 'Bob', lastName: 'Builder', mail: 'bob@example.com' };

const peopleDn = `ou=people,${suffix}`;
const readerDn = `cn=reader,${suffix}`;
const readerPassword = 'reader-secret';

function dnOf({ uid }: LdapPerson): string {
  return `uid=${uid.replaceAll(/[,+"\\<>;=#]/g, String.raw`\$&`)},${peopleDn}`;
}

function entry(attributes: readonly (readonly [name: string, value: string])[]): string {
  return attributes.map(([name, value]) => `${name}:: ${Buffer.from(value).toString('base64')}\n`).join('');
}

function entriesOf(people: readonly LdapPerson[]): string {
  const root = [
    ['dn', suffix],
    ['objectClass', 'dcObject'],
    ['objectClass', 'organization'],
    ['o', 'Example'],
  ] as const;
  const branch = [
    ['dn', peopleDn],
    ['objectClass', 'organizationalUnit'],
  ] as const;
  const persons = people.map((person) => [
    ['dn', dnOf(person)] as const,
    ['objectClass', 'inetOrgPerson'] as const,
    ['cn', `${person.firstName} ${person.lastName}`] as const,
    ['givenName', person.firstName] as const,
    ['sn', person.lastName] as const,
    ['mail', person.mail] as const,
    ['userPassword', person.password] as const,
  ]);
  return [root, branch, ...persons].map(entry).join('\n');
}

/** Returns the directory of slapd's schemas: those unpacked with slapd, else those of the system. */
function schemaDirectory(slapd: string): string {
  const candidates = [join(slapd, '../../etc/ldap/schema'), '/etc/ldap/schema', '/etc/openldap/schema'];
  const found = candidates.find((path) => existsSync(join(path, 'core.schema')));
  if (found === undefined) throw new Error(`no schemas for ${slapd}`);
  return found;
}

function configuration(slapd: string, directory: string): string {
  const schemas = ['core', 'cosine', 'inetorgperson'].map(
    (name) => `include "${join(schemaDirectory(slapd), `${name}.schema`)}"`,
  );
  return [
    ...schemas,
    'database ldif',
    `suffix "${suffix}"`,
    `directory "${join(directory, 'data')}"`,
    `rootdn "${readerDn}"`,
    `rootpw ${readerPassword}`,
    // People can read only their own entry, and passwords serve for authentication alone.
    'access to attrs=userPassword by anonymous auth by * none',
    'access to * by self read by anonymous auth by * none',
    '',
  ].join('\n');
}

/** Returns whether a server on loopback accepts a connection. */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

async function serve(slapd: string, directory: string) {
  // slapd does not accept port 0, and another process may take a free port before slapd does.
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort();
    const url = `ldap://127.0.0.1:${port}`;
    try {
      const { child } = await guardedSpawn({
        name: 'slapd',
        command: slapd,
        args: ['-h', url, '-f', join(directory, 'slapd.conf'), '-d', 'none'],
        logPath: join(directory, 'slapd.log'),
        stopSignal: 'SIGTERM',
        user: null,
        readyPattern: /slapd starting/,
      });
      // slapd says that it starts before it listens, and listens in a thread of its own.
      const listens = eventually(
        () => accepts(port),
        (does) => does,
        10,
      );
      if (await listens.catch(() => false)) return { url, child };
      await child.kill();
      throw new StartError(`slapd said that it starts, and does not listen on port ${port}`);
    } catch (error) {
      if (!(error instanceof StartError) || attempt === 3) throw error;
    }
  }
}

async function fill(slapd: string, directory: string, people: readonly LdapPerson[]): Promise<void> {
  const [config, entries] = [join(directory, 'slapd.conf'), join(directory, 'people.ldif')];
  await mkdir(join(directory, 'data'));
  await writeFile(config, configuration(slapd, directory));
  await writeFile(entries, entriesOf(people));
  await promisify(execFile)(slapd, ['-T', 'add', '-f', config, '-l', entries]);
}

/** Starts a real LDAP server on loopback with these people: the slapd that the bootstrap found. */
export async function startLdap(people: readonly LdapPerson[] = [ann, bob]): Promise<TestLdap> {
  const slapd = testTool('SLAPD');
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-ldap-'));
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    await fill(slapd, directory, people);
    const { url, child } = await serve(slapd, directory);
    const close = async () => {
      await child.stop();
      await remove();
    };
    return { url, peopleDn, readerDn, readerPassword, people, dnOf, close };
  } catch (error) {
    await remove();
    throw error;
  }
}
