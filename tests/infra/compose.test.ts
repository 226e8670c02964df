import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { DCLinter } from 'dclint';
import { describe, expect, it } from 'vitest';
import { environmentOf, readStages } from './dockerfile.ts';
import { infra, projectRoot } from './project-root.ts';
import { type Role, settingProblems } from './setting-problems.ts';
import { type ComposeService, interpolate, readCompose, requiredVariables } from './compose/compose-file.ts';

interface Result {
  readonly messages: readonly { readonly line: number; readonly message: string }[];
}

/** Rules of style, which say nothing about what the file does. */
const styleRules = [
  'no-quotes-in-volumes',
  'service-dependencies-alphabetical-order',
  'service-keys-order',
  'service-ports-alphabetical-order',
  'services-alphabetical-order',
  'top-level-properties-order',
  // An image has a name whether it is built here or fetched.
  'no-build-and-image',
];

/** Returns what the schema of the Compose specification, and the rules of a linter, refuse in a file. */
function composeProblems(text: string): readonly string[] {
  const directory = mkdtempSync(join(tmpdir(), 'trunkline-compose-'));
  try {
    const file = join(directory, 'compose.yaml');
    writeFileSync(file, text);
    const rules = Object.fromEntries(styleRules.map((name) => [name, 0 as const]));
    const linter = new DCLinter({ rules, quiet: false, debug: false, exclude: [] });
    const results: readonly Result[] = linter.lintFiles([file], false);
    return results.flatMap(({ messages }) => messages.map(({ line, message }) => `${line}: ${message}`));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const path = infra('compose', 'compose.yaml');
const printed = execFileSync('sh', [infra('compose', 'make-secrets.sh')], { encoding: 'utf8' });
const secrets = Object.fromEntries(
  printed
    .trim()
    .split('\n')
    .map((line) => line.split('=') as [string, string]),
);
const { services } = readCompose(path, secrets);
const stages = readStages();

const ours = Object.entries(services).flatMap(([name, service]) => {
  const [, target] = /^trunkline\/([\w-]+):/.exec(service.image) ?? [];
  return target === undefined ? [] : [{ name, service, target }];
});

function roleOf(target: string, { command = [] }: ComposeService): Role {
  if (command.includes('dist/migrate.js')) return 'migrate';
  return target === 'gateway' ? 'gateway' : 'vcs-worker';
}

describe('compose.yaml', () => {
  it('is valid by the schema of the specification', () => {
    expect(composeProblems(interpolate(readFileSync(path, 'utf8'), secrets))).toEqual([]);
  });

  it('the schema refuses a member that does not exist', () => {
    const found = composeProblems('name: a\nservices:\n  one: { image: "x:1", volume: [] }\n');
    expect(found.join()).toContain('must NOT have additional properties');
  });

  it('every variable that it needs is made by make-secrets.sh, each time another one', () => {
    const again = execFileSync('sh', [infra('compose', 'make-secrets.sh')], { encoding: 'utf8' });
    expect([...requiredVariables(readFileSync(path, 'utf8'))].toSorted()).toEqual(
      expect.arrayContaining(Object.keys(secrets).filter((name) => !name.startsWith('TRUNKLINE_ADMIN'))),
    );
    expect(again.split('\n').filter((line) => line !== '' && printed.includes(line))).toEqual([]);
  });

  it.each(ours)('$name has an image and settings that its process reads', async ({ service, target }) => {
    const stage = stages.get(target);
    expect(stage).toBeDefined();
    if (!stage) return;
    const role = roleOf(target, service);
    const ofImage = role === 'migrate' ? {} : environmentOf(stage);
    expect(await settingProblems(role, { ...ofImage, ...service.environment })).toEqual([]);
  });

  it.each(ours)('$name can write only where it must, and gains no rights', ({ service }) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
  });

  it('the images have the version of the project', () => {
    const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string };
    expect(new Set(ours.map(({ service }) => service.image.split(':')[1]))).toEqual(new Set([version]));
  });

  it('only the balancer can be reached from outside', () => {
    const open = Object.entries(services).filter(([, { ports = [] }]) => ports.length > 0);
    expect(open.map(([name]) => name)).toEqual(['haproxy']);
  });

  it('each process has the passwords of its own role alone', () => {
    const passwords = Object.entries(secrets).filter(([name]) => name.endsWith('PASSWORD'));
    const held = ours.map(({ name, service }) => {
      const values = Object.values(service.environment ?? {}).join(' ');
      return [name, passwords.filter(([, value]) => values.includes(value)).map(([key]) => key)] as const;
    });
    const gateway = ['GATEWAY_PASSWORD', 'TRUNKLINE_NATS_GATEWAY_PASSWORD'];
    const worker = ['TRUNKLINE_ADMIN_PASSWORD', 'WORKER_PASSWORD', 'TRUNKLINE_NATS_WORKER_PASSWORD'];
    for (const [name, found] of held) {
      const expected = name === 'migrate' ? ['OWNER_PASSWORD'] : name.startsWith('gateway') ? gateway : worker;
      expect([name, found.toSorted()]).toEqual([name, expected.toSorted()]);
    }
  });

  it('the files that it mounts exist', () => {
    const files = Object.values(services)
      .flatMap(({ volumes = [] }) => volumes)
      .filter((one) => one.startsWith('.'))
      .map((one) => join(dirname(path), one.split(':')[0] ?? ''));
    expect(files.length).toBeGreaterThan(2);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });
});
