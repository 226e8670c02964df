import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';
import { dockerfileText, environmentOf, lastOf, readStages } from './dockerfile.ts';
import { projectRoot } from './project-root.ts';

const stages = readStages();
const images = ['gateway', 'vcs-worker'].map((name) => {
  const stage = stages.get(name);
  if (!stage) throw new Error(`the Dockerfile has no stage ${name}`);
  return { name, stage };
});

describe('Dockerfile', () => {
  it('has no instruction that a linter refuses', () => {
    expect(validate(dockerfileText)).toEqual([]);
    expect(validate('FROM x\nRUM true\n')).toHaveLength(1);
  });

  it('copies files that exist, from stages that exist', () => {
    const copies = [...dockerfileText.matchAll(/^COPY (?:--from=(\S+) )?(.*) \S+$/gm)];
    const from = copies.flatMap(([, stage]) => stage ?? []);
    const files = copies.flatMap(([, stage, names = '']) => (stage === undefined ? names.split(' ') : []));
    expect([from.length, files.length]).toEqual([3, 2]);
    expect(from.filter((name) => !stages.has(name))).toEqual([]);
    expect(files.filter((file) => !existsSync(join(projectRoot, file)))).toEqual([]);
  });

  it.each(images)('$name runs as a user by number, under an init process, with a health check', ({ stage }) => {
    expect(lastOf(stage, 'USER')).toBe('10001:10001');
    expect(JSON.parse(lastOf(stage, 'ENTRYPOINT'))).toEqual(['/usr/bin/tini', '--', 'node']);
    expect(JSON.parse(lastOf(stage, 'CMD'))).toEqual(['--heap-growing-percent=300', 'dist/main.js']);
    expect(lastOf(stage, 'STOPSIGNAL')).toBe('SIGTERM');
    const { TRUNKLINE_PORT: port, TRUNKLINE_METRICS_PORT: metricsPort } = environmentOf(stage);
    expect(lastOf(stage, 'HEALTHCHECK')).toContain(`http://127.0.0.1:${port ?? metricsPort}/healthz`);
    expect(lastOf(stage, 'EXPOSE').split(' ')).toContain(metricsPort);
    expect(environmentOf(stage)['UV_THREADPOOL_SIZE']).toBe('16');
  });

  it.each(images)('$name has trunklinectl where its command is looked for', ({ stage }) => {
    const program = '/usr/local/lib/trunkline/trunklinectl/bin/trunklinectl.js';
    const { bin } = JSON.parse(readFileSync(join(projectRoot, 'apps/trunklinectl/package.json'), 'utf8')) as {
      bin: Record<string, string>;
    };
    expect(program).toBe(join('/usr/local/lib/trunkline/trunklinectl', bin['trunklinectl'] ?? ''));
    const runs = stage.instructions.map((one) => one.getArgumentsContent() ?? '');
    for (const path of [`${lastOf(stage, 'WORKDIR')}/trunklinectl`, '/usr/local/bin/trunklinectl']) {
      expect(runs.some((text) => text.includes(`ln -s ${program} ${path}`))).toBe(true);
    }
  });

  it('is built under the version of the project, as the page says', () => {
    const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string };
    const page = readFileSync(join(projectRoot, 'docs/deployment.md'), 'utf8');
    for (const { name } of images) {
      expect(dockerfileText).toContain(`-t trunkline/${name}:${version} .`);
      expect(page).toContain(`-t trunkline/${name}:${version} .`);
    }
  });

  it('has the Node.js of the tests', () => {
    expect(dockerfileText).toContain(`NODE_IMAGE=node:${readFileSync(join(projectRoot, '.nvmrc'), 'utf8').trim()}`);
  });
});
