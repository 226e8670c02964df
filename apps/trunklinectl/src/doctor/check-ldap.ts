import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { toOneLine } from '@trunkline/runtime';
import type { DoctorSettings } from '../config.ts';
import { checkDates, type Peer, peerOf, withServer } from './tls-server.ts';
import { type Finding, findingsOf, type Machine } from './check.ts';

const findings = findingsOf('ldap');
const { ok, failure } = findings;

/** The extended request StartTLS as message 1, as RFC 4511 encodes it. */
const startTls = Buffer.concat([Buffer.from('301d02010177188016', 'hex'), Buffer.from('1.3.6.1.4.1.1466.20037')]);
/** Tag and length of the result code, which follows; 0 is success. */
const resultCode = Buffer.from('0a01', 'hex');

async function agreeOnTls(socket: Socket): Promise<void> {
  socket.write(startTls);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  const at = answer.indexOf(resultCode);
  if (at < 0 || answer[at + resultCode.length] !== 0) throw new Error('it refuses StartTLS');
}

function checkPeer({ certificate, problem }: Peer, machine: Machine): readonly Finding[] {
  const what = 'The certificate of the LDAP server';
  const dates = checkDates(findings, what, certificate, 'Renew it on the LDAP server.', machine);
  if (problem === null || dates.level === 'failure') return [dates];
  const todo = 'Give its issuer in TRUNKLINE_LDAP_CA_FILE, and the host of its certificate in TRUNKLINE_LDAP_URL.';
  return [dates, failure(`${what} is refused: ${problem}.`, todo)];
}

/** Checks that the LDAP server of gateways answers, where one is set, and its certificate; no password is sent. */
export async function checkLdap({ environment }: DoctorSettings, machine: Machine): Promise<readonly Finding[]> {
  const {
    TRUNKLINE_LDAP_URL: text = '',
    TRUNKLINE_LDAP_START_TLS: upgrade,
    TRUNKLINE_LDAP_CA_FILE: path,
  } = environment;
  if (text === '') return [ok('No LDAP server is set.')];
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !['ldap:', 'ldaps:'].includes(url.protocol) || url.hostname === '') {
    const what = 'TRUNKLINE_LDAP_URL is no URL of an LDAP server.';
    return [failure(what, 'Set it to ldap:// or ldaps://, a host and perhaps a port.')];
  }
  const isSecure = url.protocol === 'ldaps:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const address = { host, port: Number(url.port || (isSecure ? 636 : 389)) };
  try {
    const ca = path ? await readFile(path, 'utf8') : null;
    const peer = await withServer(address, async (socket) => {
      if (!isSecure && upgrade !== 'true') return null;
      if (!isSecure) await agreeOnTls(socket);
      return peerOf(socket, host, ca);
    });
    return [ok('The LDAP server answers.'), ...(peer === null ? [] : checkPeer(peer, machine))];
  } catch (error) {
    const todo = 'Start it, or correct TRUNKLINE_LDAP_URL, TRUNKLINE_LDAP_START_TLS and TRUNKLINE_LDAP_CA_FILE.';
    return [failure(`The LDAP server cannot be used: ${toOneLine(error)}.`, todo)];
  }
}
