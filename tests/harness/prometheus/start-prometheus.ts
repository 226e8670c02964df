import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, guardedSpawn, StartError } from '@trunkline/local';
import * as v from 'valibot';
import { eventually } from '../eventually.ts';

const delivered = new URL('../../../infra/prometheus/', import.meta.url);
const attemptsMax = 3;

const Answer = v.object({
  data: v.object({ result: v.array(v.object({ value: v.tuple([v.number(), v.string()]) })) }),
});
const Rules = v.object({
  data: v.object({
    groups: v.array(
      v.object({
        rules: v.array(v.object({ name: v.string(), health: v.string(), lastError: v.optional(v.string()) })),
      }),
    ),
  }),
});

export interface Prometheus {
  /** Returns the present values of a query. */
  query(expression: string): Promise<number[]>;
  /** Returns the state of each rule by its name, `ok` once it was evaluated without an error. */
  rules(): Promise<Readonly<Record<string, string>>>;
  close(): Promise<void>;
}

export interface Targets {
  readonly gateways: readonly string[];
  readonly workers: readonly string[];
}

/** Returns the delivered configuration with other targets and short intervals. */
async function configFor({ gateways, workers }: Targets): Promise<string> {
  const text = await readFile(new URL('prometheus.yml', delivered), 'utf8');
  const listed = (urls: readonly string[]) => `targets: [${urls.map((url) => `'${new URL(url).host}'`).join(', ')}]`;
  const changes: (readonly [RegExp, string])[] = [
    [/15s/g, '1s'],
    [/(?<=job_name: trunkline-gateway[^]*?)targets: .*/, listed(gateways)],
    [/(?<=job_name: trunkline-worker[^]*?)targets: .*/, listed(workers)],
  ];
  return changes.reduce((before, [pattern, to]) => {
    if (!before.match(pattern)) throw new Error(`prometheus.yml lacks ${pattern}`);
    return before.replace(pattern, to);
  }, text);
}

function clientOf(url: string): Omit<Prometheus, 'close'> {
  const get = async (path: string): Promise<unknown> => {
    const response = await fetch(url + path);
    if (!response.ok) throw new Error(`Prometheus answers ${response.status}: ${await response.text()}`);
    return response.json();
  };
  return {
    async query(expression) {
      const answer = v.parse(Answer, await get(`/api/v1/query?query=${encodeURIComponent(expression)}`));
      return answer.data.result.map(({ value }) => Number(value[1]));
    },
    async rules() {
      const { data } = v.parse(Rules, await get('/api/v1/rules'));
      const all = data.groups.flatMap(({ rules }) => rules);
      return Object.fromEntries(all.map(({ name, health, lastError = '' }) => [name, lastError || health]));
    },
  };
}

/** Starts a Prometheus that scrapes these URLs each second, with the delivered configuration and alerts. */
export async function startPrometheus(command: string, targets: Targets): Promise<Prometheus> {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-prometheus-'));
  const remove = () => rm(directory, { recursive: true, force: true });
  await cp(new URL('alerts.yml', delivered), join(directory, 'alerts.yml'));
  await writeFile(join(directory, 'prometheus.yml'), await configFor(targets));
  // Another process may take a free port before.
  for (let attempt = 1; ; attempt += 1) {
    const ownPath = `/${randomBytes(10).toString('hex')}`;
    const host = `127.0.0.1:${await findFreePort()}`;
    const data = join(directory, `data-${attempt}`);
    try {
      const { child } = await guardedSpawn({
        name: 'prometheus',
        command,
        args: [
          `--config.file=${join(directory, 'prometheus.yml')}`,
          `--storage.tsdb.path=${data}`,
          `--web.listen-address=${host}`,
          `--web.external-url=http://${host}${ownPath}`,
        ],
        logPath: join(directory, 'prometheus.log'),
        stopSignal: 'SIGTERM',
        user: null,
        readyPattern: /(?:)/,
      });
      const url = `http://${host}${ownPath}`;
      const ready = () =>
        fetch(`${url}/-/ready`).then(
          ({ status }) => status === 200,
          () => false,
        );
      const answers = eventually(ready, Boolean, 60).then(
        () => true,
        () => false,
      );
      if (await Promise.race([answers, child.exited.then(() => false)])) {
        return {
          ...clientOf(url),
          async close() {
            await child.kill();
            await remove();
          },
        };
      }
      await child.kill();
      throw new StartError(`Prometheus does not answer: ${await readFile(join(directory, 'prometheus.log'), 'utf8')}`);
    } catch (error) {
      if (error instanceof StartError && attempt < attemptsMax) continue;
      await remove();
      throw error;
    }
  }
}
