import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually } from '../../harness/eventually.ts';
import { haproxySocket } from '../../wire/proxies/documented.ts';
import { startProxy } from '../../wire/proxies/start-proxy.ts';

/** Address from which the balancer connects to gateways. */
export const balancerAddress = '127.0.0.2';

/** HAProxy with the configuration that operators copy, before gateways that come and go. */
export interface Balancer {
  readonly url: string;
  /** Sends requests to this address in the given position, from 0, as soon as a gateway is ready there. */
  use(position: number, gatewayUrl: string): Promise<void>;
  /** Waits until the gateway of the position gets requests. */
  isUp(position: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts the balancer with a position for each of the gateways. */
export async function startBalancer(gateways: readonly string[]): Promise<Balancer> {
  const { url, directory, close } = await startProxy('HAProxy', { from: balancerAddress, gateways });
  const command = async (line: string): Promise<string> => {
    const socket = connect(haproxySocket({ directory }));
    await once(socket, 'connect');
    socket.end(`${line}\n`);
    return text(socket);
  };
  const nameOf = (position: number) => `gateway${position + 1}`;
  const statusOf = async (position: number): Promise<string | undefined> => {
    const [head = '', ...rows] = (await command('show stat')).trim().split('\n');
    const columns = head.replace(/^# /, '').split(',');
    const row = rows.map((line) => line.split(',')).find((fields) => fields[1] === nameOf(position));
    return row?.[columns.indexOf('status')];
  };
  return {
    url,
    async use(position, gatewayUrl) {
      const { hostname, port } = new URL(gatewayUrl);
      const answer = await command(`set server trunkline/${nameOf(position)} addr ${hostname} port ${port}`);
      if (/unknown|require|invalid|no such/i.test(answer)) throw new Error(answer.trim());
    },
    async isUp(position) {
      await eventually(
        () => statusOf(position),
        (status) => status === 'UP',
        120,
      );
    },
    close,
  };
}
