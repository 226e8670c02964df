import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { ConfigError, readDataClientOptions, readDataServerOptions } from '@trunkline/runtime';
import type { DoctorSettings } from '../config.ts';
import { checkDates } from './tls-server.ts';
import { type Finding, findingsOf, type Machine } from './check.ts';

const findings = findingsOf('certificates');
const { ok, failure } = findings;

const pem = /-----BEGIN CERTIFICATE-----[^]+?-----END CERTIFICATE-----/g;

function parse(text: string): X509Certificate[] {
  try {
    return (text.match(pem) ?? []).map((one) => new X509Certificate(one));
  } catch {
    return [];
  }
}

function checkIn(name: string, certificate: X509Certificate, machine: Machine): Finding {
  const renew = `Renew the certificate in ${name}, and restart the processes that use it.`;
  return checkDates(findings, `A certificate in ${name}`, certificate, renew, machine);
}

function fits(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

async function checkOwn({ config }: DoctorSettings, machine: Machine): Promise<readonly Finding[]> {
  const { TRUNKLINE_DATA_HOST: host, TRUNKLINE_DATA_PORT: port, TRUNKLINE_DATA_URL: url } = config;
  const { TRUNKLINE_DATA_TLS_CERT: cert, TRUNKLINE_DATA_TLS_KEY: key } = config;
  if (host === undefined || port === undefined || url === undefined || cert === undefined || key === undefined)
    return [];
  const { tls } = await readDataServerOptions({
    TRUNKLINE_DATA_HOST: host,
    TRUNKLINE_DATA_PORT: port,
    TRUNKLINE_DATA_URL: url,
    TRUNKLINE_DATA_TLS_CERT: cert,
    TRUNKLINE_DATA_TLS_KEY: key,
  });
  if (!tls) return [];
  const name = 'TRUNKLINE_DATA_TLS_CERT';
  const [certificate] = parse(tls.cert);
  if (!certificate) return [failure(`${name} has no certificate.`, 'Set it to a file with a certificate in PEM.')];
  const found = [checkIn(name, certificate, machine)];
  if (!fits(certificate, tls.key)) {
    const todo = 'Set both to the files that belong together.';
    found.push(failure(`TRUNKLINE_DATA_TLS_KEY is not the key of the certificate in ${name}.`, todo));
  }
  const announced = url === null ? host : new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
  const matches = isIP(announced) ? certificate.checkIP(announced) : certificate.checkHost(announced);
  if (matches === undefined) {
    const todo = 'Issue one for the host of TRUNKLINE_DATA_URL, or correct that.';
    found.push(failure(`The certificate in ${name} is not for ${announced}.`, todo));
  }
  return found;
}

async function checkTrusted({ config }: DoctorSettings, machine: Machine): Promise<readonly Finding[]> {
  const { TRUNKLINE_DATA_NETWORKS: networks, TRUNKLINE_DATA_TLS_CA: path } = config;
  if (networks === undefined || path === undefined) return [];
  const { ca } = await readDataClientOptions({ TRUNKLINE_DATA_NETWORKS: networks, TRUNKLINE_DATA_TLS_CA: path });
  if (ca === null) return [];
  const name = 'TRUNKLINE_DATA_TLS_CA';
  const trusted = parse(ca);
  if (trusted.length === 0)
    return [failure(`${name} has no certificate.`, 'Set it to a file with certificates in PEM.')];
  return trusted.map((certificate) => checkIn(name, certificate, machine));
}

/** Checks the certificates of data ports, where TLS is set. */
export async function checkCertificates(settings: DoctorSettings, machine: Machine): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const check of [checkOwn, checkTrusted]) {
    try {
      found.push(...(await check(settings, machine)));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      found.push(failure(`${error.message}.`, 'Correct the variable, or the rights of the file.'));
    }
  }
  return found.length > 0 ? found : [ok('No certificates are set: data ports do not use TLS.')];
}
