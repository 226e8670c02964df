import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect as connectTo } from 'node:net';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gatewayInboxes, laneNames, subjects, workerInboxes, workerQueueGroup } from '@trunkline/contracts';
import { natsServerPath, startNats } from '@trunkline/local';
import { connect } from 'nats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectBusUser, credentialsOf, type BusUser } from '../harness/bus-user.ts';

const configPath = fileURLToPath(new URL('../../infra/nats/nats-server.conf', import.meta.url));

/** Starts nats-server with its committed configuration, on a free port. */
async function startProductionServer() {
  const env = { TRUNKLINE_NATS_GATEWAY_PASSWORD: 'gatewayPassword', TRUNKLINE_NATS_WORKER_PASSWORD: 'workerPassword' };
  const server = spawn(natsServerPath(), ['-c', configPath, '-a', '127.0.0.1', '-p', '-1'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  for await (const chunk of server.stderr.iterator({ destroyOnReturn: false })) {
    log += String(chunk);
    if (log.includes('Server is ready')) break;
  }
  server.stderr.resume();
  const [, port] = /client connections on 127\.0\.0\.1:(\d+)/.exec(log) ?? [];
  const urlOf = (user: string) => `nats://${user}:${user}Password@127.0.0.1:${port}`;
  return {
    url: urlOf('nobody'),
    gatewayUrl: urlOf('gateway'),
    workerUrl: urlOf('worker'),
    log,
    async stop() {
      server.kill();
      await once(server, 'exit');
    },
  };
}

async function startLocalServer() {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-bus-'));
  await chmod(directory, 0o755);
  const nats = await startNats({ dataDir: join(directory, 'nats') });
  const { url, gatewayUrl, workerUrl } = nats;
  const stop = async () => {
    await nats.stop();
    await rm(directory, { recursive: true });
  };
  return { url, gatewayUrl, workerUrl, log: '', stop };
}

const events = Object.values(subjects)
  .filter((subject) => typeof subject === 'string')
  .filter((subject) => subject.startsWith('trunkline.event.'));
const everything = ['>', 'trunkline.>', '_INBOX.>', '$SYS.>', 'trunkline.inbox.>', `${gatewayInboxes}.>`];
const commands = [
  ...laneNames.map((lane) => subjects.rpcLane(lane, lane === 'metadata' ? null : 'default')),
  subjects.directTo('x'),
  subjects.copy('default'),
];

const gatewayMay = {
  publish: [
    subjects.rpc('metadata', null, 'get_user'),
    subjects.rpc('storage', 'default', 'get_repo_nodes'),
    subjects.direct('x', 'get_user'),
    subjects.ping('metadata', null),
    subjects.ping('storage', 'default'),
    subjects.runningReads,
    subjects.stream('x'),
    subjects.callCancelled,
    subjects.stateRequest,
    subjects.stateAnswer,
  ],
  subscribe: [
    `${gatewayInboxes}.x.*`,
    `${gatewayInboxes}.x`,
    subjects.callersChanged,
    subjects.operationEnded,
    subjects.stateRequest,
    subjects.stateAnswer,
  ],
};
const workerMay = {
  publish: [`${gatewayInboxes}.x.y`, `${workerInboxes}.x.y`, subjects.copy('default'), subjects.stateAnswer, ...events],
  subscribe: [
    `${workerInboxes}.x.*`,
    subjects.ping('metadata', null),
    subjects.ping('storage', 'default'),
    subjects.runningReads,
    subjects.stream('x'),
    subjects.callCancelled,
    subjects.stateRequest,
  ],
};

describe.each([
  ['the configuration for a cluster', startProductionServer],
  ['the configuration of npm start and of tests', startLocalServer],
])('%s', (_what, start) => {
  let server: Awaited<ReturnType<typeof start>>;
  let gateway: BusUser;
  let worker: BusUser;

  beforeAll(async () => {
    server = await start();
    [gateway, worker] = await Promise.all([connectBusUser(server.gatewayUrl), connectBusUser(server.workerUrl)]);
  });
  afterAll(async () => {
    await Promise.all([gateway.close(), worker.close()]);
    await server.stop();
  });

  const publishing = (user: BusUser, all: readonly string[]) =>
    user.refusals((nc) => all.forEach((subject) => nc.publish(subject)));
  const subscribing = (user: BusUser, all: readonly string[], queue?: string) =>
    user.refusals((nc) => {
      const options = { callback: () => {}, ...(queue === undefined ? {} : { queue }) };
      for (const subject of all) nc.subscribe(subject, options);
    });
  const refusedAll = (operation: string, all: readonly string[]) => all.map((one) => `${operation} ${one}`).toSorted();

  it('E2 lets gateways publish and subscribe to what they need', async () => {
    expect(await publishing(gateway, gatewayMay.publish)).toEqual([]);
    expect(await subscribing(gateway, gatewayMay.subscribe)).toEqual([]);
  });

  it('E2 lets workers publish and subscribe to what they need', async () => {
    expect(await publishing(worker, workerMay.publish)).toEqual([]);
    expect(await subscribing(worker, workerMay.subscribe)).toEqual([]);
    expect(await subscribing(worker, commands, workerQueueGroup)).toEqual([]);
  });

  it('E2 lets gateways receive no command and publish no event', async () => {
    const all = [
      ...commands,
      'trunkline.rpc.>',
      'trunkline.rpc.*.*.*',
      subjects.stream('*'),
      `${workerInboxes}.>`,
      ...everything.slice(0, 5),
    ];
    expect(await subscribing(gateway, all)).toEqual(refusedAll('subscription', all));
    expect(await subscribing(gateway, ['trunkline.rpc.*.*.*'], workerQueueGroup)).toHaveLength(1);
    const replies = [`${gatewayInboxes}.x.y`, `${workerInboxes}.x.y`];
    const silent = [
      ...events,
      ...replies,
      subjects.copy('default'),
      '_INBOX.x',
      '$JS.API.INFO',
      'trunkline.rpc.metadata',
      'other',
    ];
    expect(await publishing(gateway, silent)).toEqual(refusedAll('publish', silent));
  });

  it('E2 lets workers send no command and receive no reply to gateways', async () => {
    const silent = [
      'trunkline.rpc.metadata.get_user',
      subjects.direct('x', 'y'),
      subjects.rpc('storage', 'default', 'get_repo_nodes'),
      subjects.ping('storage', 'default'),
      subjects.stream('x'),
      subjects.callCancelled,
      subjects.stateRequest,
      '_INBOX.x',
    ];
    expect(await publishing(worker, silent)).toEqual(refusedAll('publish', silent));
    const unread = [...everything, subjects.stateAnswer];
    expect(await subscribing(worker, unread)).toEqual(refusedAll('subscription', unread));
  });

  it('E2 lets workers receive commands only in the queue group', async () => {
    expect(await subscribing(worker, commands)).toEqual(refusedAll('subscription', commands));
    expect(await subscribing(worker, commands, 'listeners')).toHaveLength(commands.length);
  });

  it('E2 refuses a connection without a password, or with a wrong one, such as that of another user', async () => {
    const { servers, user } = { user: '', ...credentialsOf(server.gatewayUrl) };
    const wrong = [{}, { user }, { user, pass: '' }, { user, pass: 'wrong' }, { token: 'x' }, { user: '$G' }];
    // The password of one user opens no other.
    const passwords = { gateway: server.gatewayUrl, worker: server.workerUrl };
    const others = Object.entries(passwords).flatMap(([own, url]) =>
      ['operator', 'gateway', 'worker', 'sys', '$SYS']
        .filter((name) => name !== own)
        .map((name) => ({ user: name, pass: new URL(url).password })),
    );
    const attempts = [...wrong, ...others];
    for (const attempt of attempts) {
      const options = { servers: servers ?? [], reconnect: false, ...attempt };
      await expect(connect(options), JSON.stringify(attempt)).rejects.toMatchObject({
        code: 'AUTHORIZATION_VIOLATION',
      });
    }
  });

  it('E5 drops a client that answers no ping, within about 15 seconds', { timeout: 60_000 }, async () => {
    const { host, username, password } = new URL(server.workerUrl);
    const socket = connectTo(Number(host.split(':')[1]), '127.0.0.1');
    const answer = text(socket);
    socket.write(`CONNECT ${JSON.stringify({ verbose: false, user: username, pass: password })}\r\nPING\r\n`);
    expect(await answer).toContain("-ERR 'Stale Connection'");
  });

  it('E2 accepts messages of 8 MB and offers no other service', async () => {
    const { max_payload, jetstream } = { jetstream: false, ...gateway.nc.info };
    expect([max_payload, jetstream]).toEqual([8 * 1024 * 1024, false]);
    expect(server.log).not.toMatch(/websocket|monitor|JetStream/i);
  });
});
