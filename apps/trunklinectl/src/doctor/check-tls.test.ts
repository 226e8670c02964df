import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { dataCertificate, dataCertificateKey } from '../../../../packages/runtime/src/data/testing/data-certificate.ts';
import { readDoctorSettings } from '../config.ts';
import { checkBusCertificates } from './check-bus.ts';
import { checkLdap } from './check-ldap.ts';
import { thisMachine } from './check.ts';

const later = { ...thisMachine, now: () => Date.parse('2200-01-01') };
const startTlsAgreed = Buffer.from('300c02010178070a010004000400', 'hex');
const startTlsRefused = Buffer.from('300c02010178070a010204000400', 'hex');

let directory: string;
let caFile = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-doctor-'));
  caFile = join(directory, 'ca.pem');
  await writeFile(caFile, dataCertificate);
});
afterAll(() => rm(directory, { recursive: true }));

/** Starts a server that has each connection greeted; returns its port. */
async function serve(greet: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    greet(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function speakTls(socket: Socket): void {
  const options = { isServer: true, key: dataCertificateKey, cert: dataCertificate };
  new TLSSocket(socket, options).on('error', () => {}).resume();
}

describe('an LDAP server', () => {
  const look = async (env: Record<string, string>, machine = thisMachine) =>
    (await checkLdap(readDoctorSettings(env), machine)).map(({ level, what }) => `${level}: ${what}`);
  const answers = 'ok: The LDAP server answers.';

  it('is looked for where one is set', async () => {
    expect(await look({})).toEqual(['ok: No LDAP server is set.']);
    expect(await look({ TRUNKLINE_LDAP_URL: 'http://x' })).toEqual([
      'failure: TRUNKLINE_LDAP_URL is no URL of an LDAP server.',
    ]);
    const [away = ''] = await look({ TRUNKLINE_LDAP_URL: 'ldap://127.0.0.1:1' });
    expect(away).toMatch(/^failure: The LDAP server cannot be used: .*ECONNREFUSED/);
    const port = await serve(() => {});
    expect(await look({ TRUNKLINE_LDAP_URL: `ldap://127.0.0.1:${port}` })).toEqual([answers]);
  });

  it('has a certificate that is looked at', async () => {
    const env = { TRUNKLINE_LDAP_URL: `ldaps://127.0.0.1:${await serve(speakTls)}` };
    const trusting = { ...env, TRUNKLINE_LDAP_CA_FILE: caFile };
    const valid = expect.stringMatching(/^ok: The certificate of the LDAP server is valid until /);
    expect(await look(trusting)).toEqual([answers, valid]);
    expect(await look(env)).toEqual([answers, valid, expect.stringMatching(/^failure: .* is refused: \w+\.$/)]);
    expect(await look(trusting, later)).toEqual([answers, expect.stringMatching(/^failure: .* has expired/)]);
  });

  it.each([
    ['agrees on', startTlsAgreed, [answers, expect.stringMatching(/^ok: /)]],
    ['refuses', startTlsRefused, ['failure: The LDAP server cannot be used: it refuses StartTLS.']],
  ])('%s StartTLS', async (_what, answer, expected) => {
    const port = await serve((socket) => {
      socket.once('data', () => {
        socket.write(answer);
        if (answer === startTlsAgreed) speakTls(socket);
      });
    });
    const env = { TRUNKLINE_LDAP_URL: `ldap://127.0.0.1:${port}`, TRUNKLINE_LDAP_START_TLS: 'true' };
    expect(await look({ ...env, TRUNKLINE_LDAP_CA_FILE: caFile })).toEqual(expected);
  });
});

describe('a server of the bus', () => {
  const look = async (url: string, machine = thisMachine) =>
    (await checkBusCertificates(url, machine)).map(({ level, what }) => `${level}: ${what}`);

  it('has a certificate that is looked at, where TLS is demanded of it', async () => {
    const port = await serve((socket) => {
      socket.write('INFO {"tls_required":true}\r\n');
      speakTls(socket);
    });
    const what = `The certificate of nats-server at 127.0.0.1:${port}`;
    expect(await look(`nats://127.0.0.1:${port}`)).toEqual([]);
    expect(await look(`tls://user:secret@127.0.0.1:${port},127.0.0.1:1`)).toEqual([
      expect.stringContaining(`ok: ${what} is valid until `),
      expect.stringContaining(`failure: ${what} is refused: `),
    ]);
    expect(await look(`tls://127.0.0.1:${port}`, later)).toEqual([
      expect.stringContaining(`failure: ${what} has expired (`),
    ]);
  });
});
