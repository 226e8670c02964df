import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import * as v from 'valibot';
import { readDoctorSettings } from '../../apps/trunklinectl/src/config.ts';
import { diagnose } from '../../apps/trunklinectl/src/doctor/diagnose.ts';
import { thisMachine } from '../../apps/trunklinectl/src/doctor/check.ts';
import { dataCertificate, dataCertificateKey } from '../../packages/runtime/src/data/testing/data-certificate.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';

const reached = 'data port of a worker reached';
const notAllowed = 'the data port of a worker cannot be reached: its address does not lie in TRUNKLINE_DATA_NETWORKS';
/** Gateways ask once a minute. */
const waitSeconds = 150;
const Ready = v.object({ metricsPort: v.number() });
const LogLine = v.object({ msg: v.optional(v.string()), address: v.optional(v.string()) });

let cluster: Cluster;
let directory: string;
let metricsUrls: { readonly plain: string; readonly tls: string; readonly metadata: string };

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-data-port-'));
  const [certificate, key] = [join(directory, 'certificate.pem'), join(directory, 'key.pem')];
  await Promise.all([writeFile(certificate, dataCertificate), writeFile(key, dataCertificateKey)]);
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 0,
    workers: 0,
    env: { TRUNKLINE_LOG_LEVEL: 'info' },
  });
  const [plain, tls, metadata] = await Promise.all([
    cluster.startWorker(),
    cluster.startWorker({ TRUNKLINE_DATA_TLS_CERT: certificate, TRUNKLINE_DATA_TLS_KEY: key }),
    cluster.startWorker({ TRUNKLINE_LANES: 'metadata' }),
  ]);
  const metricsUrl = ({ ready }: { ready: unknown }) => `http://127.0.0.1:${v.parse(Ready, ready).metricsPort}/metrics`;
  metricsUrls = { plain: metricsUrl(plain), tls: metricsUrl(tls), metadata: metricsUrl(metadata) };
  await Promise.all([
    cluster.startGateway({ TRUNKLINE_DATA_TLS_CA: certificate }),
    cluster.startGateway({ TRUNKLINE_DATA_NETWORKS: '10.0.0.0/8', TRUNKLINE_SITE_NAME: 'elsewhere' }),
  ]);
});
afterAll(async () => {
  await cluster.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Returns the addresses, without ports, in the log lines with this text. */
async function addressesLogged(text: string): Promise<string[]> {
  const lines = (await cluster.logs()).split('\n').filter((line) => line.includes(text));
  const parsed = lines.map((line) => v.parse(LogLine, JSON.parse(line)));
  return parsed.filter(({ msg }) => msg === text).map(({ address = '' }) => address.replace(/:\d+$/, ''));
}

const metricsOf = async (url: string) => (await fetch(url)).text();

/** Of the worker for the lane `metadata` alone, too. */
const all = ['http://127.0.0.1', 'http://127.0.0.1', 'https://127.0.0.1'];

/** Waits until lines with this text name three addresses; on a busy machine, only a later question may be answered. */
async function allLogged(text: string): Promise<string[]> {
  const found = await eventually(
    () => addressesLogged(text),
    ({ length }) => length >= all.length,
    waitSeconds,
  );
  return found.toSorted();
}

describe('a gateway', { timeout: 2 * waitSeconds * 1_000 }, () => {
  it('exchanges bytes with the data port of every worker that has one, over HTTP and HTTPS', async () => {
    expect(await allLogged(reached)).toEqual(all);
    for (const url of Object.values(metricsUrls)) {
      const metrics = await metricsOf(url);
      expect(metrics).toMatch(/^trunkline_data_bytes_total\{direction="in"\} [1-9]/m);
      expect(metrics).toMatch(/^trunkline_data_bytes_total\{direction="out"\} [1-9]/m);
    }
  });

  it('says in its log that it may not connect to a data port', async () => {
    expect(await allLogged(notAllowed)).toEqual(all);
  });
});

describe('trunklinectl doctor', () => {
  it('names each data port that a gateway cannot reach', async () => {
    await allLogged(notAllowed);
    const settings = readDoctorSettings({
      TRUNKLINE_DATABASE_URL: cluster.database.workerUrl,
      TRUNKLINE_NATS_URL: cluster.nats.gatewayUrl,
      TRUNKLINE_SECRET: cluster.secret,
    });
    const findings = await diagnose(['processes'], settings, thisMachine);
    const named = findings.filter(({ what }) =>
      /^The gateway \S+ on \S+ cannot reach the data port https?:/.test(what),
    );
    expect(named.map(({ level }) => level)).toEqual(['failure', 'failure', 'failure']);
    expect(new Set(named.map(({ what }) => what.split(' ')[2])).size).toBe(1);
  });
});
