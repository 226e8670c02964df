import { readFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort, guardedSpawn, natsServerPath, startApp, startPostgres } from '@trunkline/local';
import postgres from 'postgres';
import { infra, projectRoot } from '../project-root.ts';
import { eventually } from '../../harness/eventually.ts';
import { environmentOf, readStages } from '../dockerfile.ts';
import type { ComposeService } from './compose-file.ts';

/** What the addresses and directories of a compose file are on this machine. */
interface Surroundings {
  /** Addresses by those of the compose file, such as `postgres:5432`. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Directory for the files of all services. */
  readonly directory: string;
}

/** Settings that must differ where containers have no network of their own. */
const own: Readonly<Record<string, string>> = {
  TRUNKLINE_METRICS_PORT: '0',
  TRUNKLINE_DATA_PORT: '0',
  TRUNKLINE_DATA_URL: '',
  // Tests do not depend on the free space of their machine.
  TRUNKLINE_STORAGE_FREE_BYTES_MIN: '0',
  // The balancer of the test looks at gateways each second, as that of the compose file does.
  TRUNKLINE_LOG_LEVEL: 'warn',
  TRUNKLINE_DRAIN_SECONDS: '1',
};

/** Returns the environment of a container as its process needs it on this machine. */
function onThisMachine(
  service: string,
  environment: Readonly<Record<string, string>>,
  { addresses, directory }: Surroundings,
): Record<string, string> {
  const translate = (value: string) => {
    let text = value.replaceAll('/srv/', `${directory}/srv/`).replaceAll('0.0.0.0', '127.0.0.1');
    text = text.replaceAll('/var/cache/trunkline', `${directory}/cache/${service}`);
    text = text.replaceAll(/\b10\.213\.6\d\.0\/24\b/g, '127.0.0.0/8');
    for (const [name, address] of addresses) text = text.replaceAll(name, address);
    return text;
  };
  const translated = Object.entries(environment).map(([name, value]) => [name, own[name] ?? translate(value)]);
  return { ...Object.fromEntries<string>(translated as [string, string][]), ...own };
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns what `create-roles.sh` has psql run, without psql, of which test machines have none: the included file, with
 * the variables of the environment in the form of literals.
 */
function roleSql(environment: Variables): string {
  const script = readFileSync(infra('postgres', 'create-roles.sh'), 'utf8');
  const [, body = ''] = /<<'SQL'\n([^]*?)^SQL$/m.exec(script) ?? [];
  const values: Record<string, string> = { DBNAME: environment['POSTGRES_DB'] ?? '' };
  for (const [, name = '', variable = ''] of body.matchAll(/^\\getenv (\w+) (\w+)$/gm)) {
    values[name] = environment[variable] ?? '';
  }
  const included = body.replaceAll(/^\\i (\S+)$/gm, (_, path: string) =>
    readFileSync(infra('postgres', path.slice(path.lastIndexOf('/') + 1)), 'utf8'),
  );
  const sql = included.replaceAll(/^(?:\\|--).*\n/gm, '');
  return sql.replaceAll(/:(['"])(\w+)\1/g, (_, quote: string, name: string) => `${quote}${values[name]}${quote}`);
}

/** Returns the statements of a script; those that follow one another are transactions of their own. */
function statementsOf(sql: string): readonly string[] {
  return sql
    .split(/;\n/)
    .reduce<string[]>((found, part) => {
      const last = found.at(-1);
      // Within a body between `$$`, a semicolon ends no statement.
      if (last !== undefined && last.split('$$').length % 2 === 0) return [...found.slice(0, -1), `${last};\n${part}`];
      return [...found, part];
    }, [])
    .filter((statement) => statement.trim() !== '');
}

/** A running part of a compose file. */
export interface Running {
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export interface Starting extends Surroundings {
  readonly name: string;
  readonly service: ComposeService;
  readonly addresses: Map<string, string>;
}

const stages = readStages();
/** Programs that the bootstrap has found, which apps do not inherit. */
const tools = ['TRUNKLINE_GIT_COMMAND', 'TRUNKLINE_HG_COMMAND', 'TRUNKLINE_BZIP2_COMMAND'].flatMap((name) =>
  process.env[name] ? [[name, process.env[name]] as const] : [],
);

const logOf = ({ directory, name }: Starting) => join(directory, 'logs', `${name}.log`);

async function startDatabase({ directory, service, addresses, name }: Starting): Promise<Running> {
  const server = await startPostgres({ dataDir: join(directory, name), throwaway: true });
  const { environment = {} } = service;
  const database = environment['POSTGRES_DB'] ?? '';
  const run = async (url: string, statements: readonly string[]) => {
    const client = postgres(url, { max: 1, onnotice: () => {} });
    for (const statement of statements) await client.unsafe(statement);
    await client.end();
  };
  await run(server.url, [`create database ${database}`]);
  const url = new URL(server.url);
  url.pathname = database;
  await run(url.href, statementsOf(roleSql(environment)));
  addresses.set('postgres:5432', `127.0.0.1:${server.port}`);
  return server;
}

async function startBus(starting: Starting): Promise<Running> {
  const { directory, name, service, addresses } = starting;
  const config = await readFile(infra('nats', 'nats-server.conf'), 'utf8');
  const path = join(directory, `${name}.conf`);
  await writeFile(path, config.replace('port: 4222', 'host: 127.0.0.1\nport: -1'));
  await copyFile(infra('nats', 'permissions.conf'), join(directory, 'permissions.conf'));
  const { child, ready } = await guardedSpawn({
    name,
    command: natsServerPath(),
    args: ['-c', path],
    env: { ...service.environment },
    logPath: logOf(starting),
    stopSignal: 'SIGTERM',
    user: null,
    readyPattern: /client connections on 127\.0\.0\.1:(\d+)[^]*Server is ready/,
  });
  addresses.set('nats:4222', `127.0.0.1:${ready[1]}`);
  return child;
}

/** Starts the balancer with the script of the container, at the addresses of the gateways on this machine. */
async function startBalancer(starting: Starting): Promise<Running> {
  const { directory, name, addresses } = starting;
  const port = await findFreePort();
  let script = await readFile(infra('compose', 'start-haproxy.sh'), 'utf8');
  const changes: readonly [string, string][] = [
    ['bind :5000', `bind 127.0.0.1:${port}`],
    ['/tmp/admin.sock', join(directory, 'admin.sock')],
    ['/tmp/haproxy.cfg', join(directory, 'haproxy.cfg')],
    ['exec haproxy', `exec ${process.env['TRUNKLINE_TEST_HAPROXY']}`],
    ...[...addresses].filter(([from]) => from.startsWith('10.')),
  ];
  for (const [from, to] of changes) {
    if (!script.includes(from)) throw new Error(`start-haproxy.sh has no ${from}`);
    script = script.replaceAll(from, to);
  }
  const path = join(directory, 'start-haproxy.sh');
  await writeFile(path, script);
  const { child } = await guardedSpawn({
    name,
    command: '/bin/sh',
    args: [path, infra('haproxy', 'haproxy.cfg')],
    logPath: logOf(starting),
    stopSignal: 'SIGTERM',
    user: null,
    readyPattern: /(?:)/,
  });
  const url = `http://127.0.0.1:${port}/healthz`;
  const isServed = () =>
    fetch(url)
      .then(({ ok }) => ok)
      .catch(() => false);
  // It has no pattern of its own: it writes nothing when it serves.
  await eventually(isServed, (served) => served, 60);
  addresses.set('127.0.0.1:5000', `127.0.0.1:${port}`);
  return child;
}

async function migrate({ service, ...surroundings }: Starting): Promise<Running> {
  const env = onThisMachine('migrate', service.environment ?? {}, surroundings);
  const entry = join(projectRoot, 'apps/vcs-worker/dist/migrate.js');
  await promisify(execFile)(process.execPath, [entry], { env: { PATH: process.env['PATH'], ...env } });
  return { stop: async () => {}, kill: async () => {} };
}

async function startProcess(starting: Starting, target: string): Promise<Running> {
  const { name, service, directory, addresses } = starting;
  const stage = stages.get(target);
  if (!stage) throw new Error(`there is no image ${target}`);
  const env = onThisMachine(name, { ...environmentOf(stage), ...service.environment }, starting);
  const { networks = {} } = service;
  const fixed = 'front' in networks ? networks.front?.ipv4_address : undefined;
  const address = fixed && `${fixed}:5000`;
  // A gateway keeps its address when it is replaced.
  if (address) env['TRUNKLINE_PORT'] = addresses.get(address)?.split(':')[1] ?? '0';
  await mkdir(join(directory, 'cache', name), { recursive: true });
  const app = await startApp({
    entry: join(projectRoot, 'apps', target, 'dist/main.js'),
    env: { ...env, ...Object.fromEntries(tools) },
    logPath: logOf(starting),
  });
  const { port } = app.ready as { readonly port?: number };
  if (address && port) addresses.set(address, `127.0.0.1:${port}`);
  return app;
}

/** Starts one container of a service as a process. */
export function startService(starting: Starting): Promise<Running> {
  const { image, command = [] } = starting.service;
  const [, target] = /^trunkline\/([\w-]+):/.exec(image) ?? [];
  if (command.includes('dist/migrate.js')) return migrate(starting);
  if (target) return startProcess(starting, target);
  if (image.startsWith('postgres:')) return startDatabase(starting);
  if (image.startsWith('nats:')) return startBus(starting);
  if (image.startsWith('haproxy:')) return startBalancer(starting);
  throw new Error(`no program is known for ${image}`);
}
