import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaced } from './replaced.ts';

const documented = new URL('../../infra/nats/', import.meta.url);

function read(name: string): string {
  return readFileSync(new URL(name, documented), 'utf8');
}

/**
 * Writes the configuration that operators copy, with free ports of this machine, and with monitoring; returns the path
 * of the file that names the others.
 */
export function writeNatsClusterConfig(directory: string): string {
  const files = {
    'nats-server.conf': replaced(read('nats-server.conf'), [
      [/^port: 4222$/m, 'listen: "127.0.0.1:-1"\nhttp: "127.0.0.1:-1"'],
    ]),
    'nats-cluster.conf': replaced(read('nats-cluster.conf'), [[/^ {2}port: 6222$/m, '  listen: "127.0.0.1:-1"']]),
    'permissions.conf': read('permissions.conf'),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return join(directory, 'nats-cluster.conf');
}
