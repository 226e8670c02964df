import { fileURLToPath } from 'node:url';
import { startApp } from '@trunkline/local';
import * as v from 'valibot';

const script = (name: string) => fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
const Ready = v.object({ port: v.number() });

export interface Echo {
  readonly baseUrl: string;
  readonly pids: Readonly<{ gateway: number; worker: number }>;
  stop(): Promise<void>;
}

/** Starts a bare gateway and worker; their processes end with `stop`. */
export async function startEcho(natsUrl: string, databaseUrl: string): Promise<Echo> {
  const env = { NATS_URL: natsUrl, DATABASE_URL: databaseUrl };
  const worker = await startApp({ entry: script('echo-worker'), env });
  const gateway = await startApp({ entry: script('echo-gateway'), env });
  return {
    baseUrl: `http://127.0.0.1:${v.parse(Ready, gateway.ready).port}`,
    pids: { gateway: gateway.pid, worker: worker.pid },
    async stop() {
      await gateway.kill();
      await worker.kill();
    },
  };
}
