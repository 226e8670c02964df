import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceApi } from '../harness/service-api.ts';
import { cluster } from '../harness/shared-cluster.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'trunkline-home-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

const host = `--apihost=${cluster.baseUrl}/`;
const key = `--apikey=${cluster.adminKey}`;

describe('service-api against the service', () => {
  it('prints the result indented, with sorted keys', async () => {
    const { exitCode, stdout } = await serviceApi([host, key, 'get_ip', 'userid:admin']);
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      `Calling method get_ip => ${cluster.baseUrl}/\nServer response \n{\n    "ip_addr_server": "127.0.0.1",\n    "user_ips": []\n}\n`,
    );
  });

  it('prints the text of an error of the service, and exits 1', async () => {
    const { exitCode, stdout } = await serviceApi([host, key, 'get_repo']);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('ERROR:"Missing non optional `repoid` arg in JSON DATA"');
  });

  it('needs neither host nor key once they are saved', async () => {
    const env = { HOME: home };
    const file = join(home, '.config/trunkline');
    const saved = await serviceApi(['--save-config', host, key], env);
    expect(saved).toMatchObject({ exitCode: 0, stdout: `Created new config in ${file}\n` });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ apikey: cluster.adminKey });
    const { exitCode, stdout } = await serviceApi(['--format=json', 'get_repos'], env);
    expect({ exitCode, list: Array.isArray(JSON.parse(stdout)) }).toEqual({ exitCode: 0, list: true });
  });

  it('prints one line and exits 3 when no service listens', async () => {
    const { exitCode, stdout, stderr } = await serviceApi([
      '--apihost=http://127.0.0.1:9',
      key,
      '--format=json',
      'get_repos',
    ]);
    expect({ exitCode, stdout, lines: stderr.trim().split('\n').length }).toEqual({
      exitCode: 3,
      stdout: '',
      lines: 1,
    });
    expect(stderr).not.toContain(cluster.adminKey);
  });
});
