import { readFile } from 'node:fs/promises';

const manual = new URL('../../../docs/running.md', import.meta.url);

/** Returns the configuration of a proxy as docs/running.md has it. */
async function documented(language: 'nginx' | 'haproxy'): Promise<string> {
  const [, text] = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'm').exec(await readFile(manual, 'utf8')) ?? [];
  if (text === undefined) throw new Error(`docs/running.md has no configuration of ${language}`);
  return text;
}

function replaced(text: string, changes: readonly (readonly [RegExp, string])[]): string {
  return changes.reduce((before, [pattern, to]) => {
    if (!pattern.test(before)) throw new Error(`the documented configuration lacks ${pattern}`);
    return before.replace(pattern, to);
  }, text);
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
  const server = replaced(await documented('nginx'), [
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

/** Returns the documented configuration of HAProxy for a test: other addresses and no TLS. */
export async function haproxyConfig({ port, from, gateways, ownPath, idleSeconds }: ProxySetup): Promise<string> {
  const servers = hosts(gateways).map((host, at) => `    server gateway${at + 1} ${host} source ${from} check\n`);
  return replaced(await documented('haproxy'), [
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
