import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaced } from '../../harness/replaced.ts';

const manual = new URL('../../../docs/running/balancer.md', import.meta.url);
const haproxyFile = new URL('../../../infra/haproxy/haproxy.cfg', import.meta.url);

/** Returns the configuration of nginx as docs/running/balancer.md has it. */
async function documentedNginx(): Promise<string> {
  const [, text] = /^```nginx\n([^]*?)^```/m.exec(await readFile(manual, 'utf8')) ?? [];
  if (text === undefined) throw new Error('docs/running/balancer.md has no configuration of nginx');
  return text;
}

export interface ProxySetup {
  readonly port: number;
  /** Address from which the proxy connects to gateways. */
  readonly from: string;
  readonly gateways: readonly string[];
  /** Path at which the proxy itself answers. */
  readonly ownPath: string;
  /** Directory for the files of the proxy. */
  readonly directory: string;
  /** Seconds without a byte after which the proxy gives up, instead of those in the manual. */
  readonly idleSeconds?: number;
  /** Whether nginx stores bodies and answers before it passes them on. */
  readonly buffering?: boolean;
}

const hosts = (urls: readonly string[]) => urls.map((url) => new URL(url).host);

/** Returns the documented configuration of nginx for a test: other addresses, no TLS, files in a directory. */
export async function nginxConfig({ port, from, gateways, ownPath, directory, ...more }: ProxySetup): Promise<string> {
  const { idleSeconds, buffering = false } = more;
  const server = replaced(await documentedNginx(), [
    [/listen .*;/, `listen 127.0.0.1:${port};\n    location = ${ownPath} { return 204; }`],
    [/^ *ssl_certificate .*\n/m, ''],
    [/^ *ssl_certificate_key .*\n/m, ''],
    [
      /(?:^ *server [\d.]+:\d+;\n)+/m,
      hosts(gateways)
        .map((host) => `    server ${host};\n`)
        .join(''),
    ],
    [/proxy_pass .*;/, `$&\n        proxy_bind ${from};`],
    ...(idleSeconds === undefined ? [] : [[/proxy_read_timeout .*;/, `proxy_read_timeout ${idleSeconds}s;`] as const]),
    ...(buffering ? [[/proxy_request_buffering off;/, 'proxy_request_buffering on;'] as const] : []),
  ]);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  );
  return [
    'daemon off;',
    'master_process off;',
    `pid ${directory}/nginx.pid;`,
    'error_log stderr notice;',
    'events {}',
    `http {\naccess_log off;\n${temporary.join('\n')}\n${server}}`,
    '',
  ].join('\n');
}

/** Path of the socket at which HAProxy takes commands. */
export function haproxySocket({ directory }: Pick<ProxySetup, 'directory'>): string {
  return join(directory, 'admin.sock');
}

/** Returns the configuration of HAProxy that operators copy, for a test: other addresses and no TLS. */
export async function haproxyConfig(setup: ProxySetup): Promise<string> {
  const { port, from, gateways, ownPath, idleSeconds } = setup;
  const servers = hosts(gateways).map((host, at) => `    server gateway${at + 1} ${host} source ${from}\n`);
  return replaced(await readFile(haproxyFile, 'utf8'), [
    [/stats socket \S+/, `stats socket ${haproxySocket(setup)}`],
    [/bind .*/, `bind 127.0.0.1:${port}\n    http-request return status 204 if { path ${ownPath} }`],
    // A machine with much else to do answers late.
    [/timeout check .*/, 'timeout check 60s'],
    [/(?:^ *server .*\n)+/m, servers.join('')],
    ...(idleSeconds === undefined
      ? []
      : [
          [/timeout client .*/, `timeout client ${idleSeconds}s`] as const,
          [/timeout server .*/, `timeout server ${idleSeconds}s`] as const,
        ]),
  ]);
}
