import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from './project-root.ts';
import { environmentOf, readStages } from './dockerfile.ts';
import { type Role, settingProblems } from './setting-problems.ts';
import { type Container, environmentIn, kubectl, overlays, type Pod, render, selects } from './kubernetes/rendered.ts';
import { schemaProblems } from './kubernetes/schema-problems.ts';

/** Values of the form of the secrets to which manifests refer. */
const sampleSecrets: Readonly<Record<string, string>> = {
  TRUNKLINE_SECRET: 'a'.repeat(64),
  TRUNKLINE_DATABASE_URL: 'postgres://user:password@database.example.com:5432/trunkline',
  TRUNKLINE_MIGRATE_URL: 'postgres://owner:password@database.example.com:5432/trunkline',
  TRUNKLINE_NATS_URL: 'nats://user:password@nats:4222',
  TRUNKLINE_ADMIN_API_KEY: 'a'.repeat(40),
  TRUNKLINE_ADMIN_PASSWORD: 'password of the administrator',
};

/** Seconds after which a process that was told to stop has ended, with the settings that the manifests leave as they are. */
const stopSecondsMax = 30;

const stages = readStages();
const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string };

if (!kubectl) console.warn('kubectl was not found: `npm test` finds or fetches it.');

const rendered = kubectl ? overlays.map((overlay) => ({ overlay, objects: render(overlay) })) : [];

interface Workload {
  readonly name: string;
  readonly kind: string;
  readonly template: Pod;
  readonly container: Container;
}

describe.skipIf(!kubectl).each(rendered)('the overlay $overlay', ({ objects }) => {
  const specOf = (kind: string) => objects.filter((one) => one.kind === kind);
  const pods = objects.flatMap(({ spec, metadata, kind }): Workload[] => {
    const container = spec?.template?.spec.containers[0];
    return spec?.template && container ? [{ name: metadata.name, kind, template: spec.template, container }] : [];
  });
  const ours = pods.filter(({ container }) => /\btrunkline\//.test(container.image));

  it('is valid by the published schemas, and has no member that they do not know', async () => {
    expect(await schemaProblems(objects)).toEqual([]);
  });

  it('has secrets as references alone', () => {
    expect(specOf('Secret')).toEqual([]);
    const variables = pods.flatMap(({ container }) => container.env ?? []);
    const secret = /SECRET|PASSWORD|KEY|DATABASE_URL|MIGRATE_URL|NATS_URL/;
    const open = variables.filter(({ name, valueFrom }) => secret.test(name) && !valueFrom?.secretKeyRef);
    expect(open.map(({ name }) => name)).toEqual([]);
    const literals = JSON.stringify(objects.map(({ data }) => data ?? {}));
    expect(literals).not.toMatch(/\w+:\/\/[^/\s"]+:[^@\s"$]+@/);
  });

  it('gives each process the secrets of its own role', () => {
    const names = ours.map(({ container }) => {
      const found = (container.env ?? []).flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.name ?? []);
      return [roleOf(container), [...new Set(found)].toSorted()] as const;
    });
    const own = { gateway: 'trunkline-gateway', 'vcs-worker': 'trunkline-worker', migrate: 'trunkline-owner' } as const;
    // The first administrator is created by a worker.
    const shared = { gateway: ['secret'], 'vcs-worker': ['secret', 'admin'], migrate: [] } as const;
    for (const [role, found] of names) {
      expect(found).toContain(own[role]);
      const allowed = [own[role], ...shared[role].map((name) => `trunkline-${name}`)];
      expect(found.filter((name) => !allowed.includes(name))).toEqual([]);
    }
    expect(new Set(names.map(([role]) => role))).toEqual(new Set(['gateway', 'vcs-worker', 'migrate']));
  });

  it('sets what its processes read, to values that they accept', async () => {
    for (const one of ours) {
      const role = roleOf(one.container);
      const stage = stages.get(role === 'gateway' ? 'gateway' : 'vcs-worker');
      const ofImage = role === 'migrate' || !stage ? {} : environmentOf(stage);
      const env = { ...ofImage, ...environmentIn(objects, one, one.container, sampleSecrets) };
      expect([one.name, await settingProblems(role, env)]).toEqual([one.name, []]);
    }
  });

  it('has a migration of its own for this version', () => {
    const jobs = specOf('Job').map(({ metadata }) => metadata.name);
    expect(jobs).toEqual([`migrate-${version.replaceAll('.', '-')}`]);
  });

  it('runs the images of this version without rights, on a file system that is read only', () => {
    for (const { container, template } of ours) {
      expect(container.image).toMatch(new RegExp(`:${version.replaceAll('.', String.raw`\.`)}$`));
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001, runAsGroup: 10001 });
    }
  });

  it('probes processes that serve, and gives them the time to stop', () => {
    const serving = ours.filter(({ kind }) => kind !== 'Job');
    expect(serving.length).toBeGreaterThan(2);
    for (const { container, template } of serving) {
      const ports = new Set((container.ports ?? []).map(({ name }) => name));
      for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
        expect(ports).toContain(probe?.httpGet?.port);
      }
      expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(stopSecondsMax);
    }
  });

  it('has the ports of the images', () => {
    for (const { container } of ours) {
      const role = roleOf(container);
      if (role === 'migrate') continue;
      const stage = stages.get(role);
      const image = new Set(Object.entries(stage ? environmentOf(stage) : {}).flatMap(portOf));
      for (const { containerPort } of container.ports ?? []) expect(image).toContain(containerPort);
    }
  });

  it('every selector of a service, a budget or an affinity means pods of one workload', () => {
    const selectors = [
      ...specOf('Service').map(({ spec }) => spec?.['selector']),
      ...specOf('PodDisruptionBudget').map(
        ({ spec }) => (spec?.['selector'] as { matchLabels?: object } | undefined)?.matchLabels,
      ),
    ] as Record<string, string>[];
    for (const selector of selectors) {
      const found = pods.filter(({ template }) => selects(selector, template.metadata.labels));
      expect([selector, found.length]).toEqual([selector, 1]);
    }
    const storages = specOf('StatefulSet').filter(({ metadata }) => metadata.name.startsWith('storage-'));
    for (const { metadata, spec } of storages) {
      const text = JSON.stringify(spec?.template?.spec);
      const name = metadata.name.replace('storage-', '');
      // Otherwise the workers of all storages would have to run on one node.
      expect(text).toContain(`"app":"trunkline-storage","trunkline/storage":"${name}"}},"topologyKey"`);
    }
  });

  it('every workload that serves is guarded against the loss of all its pods', () => {
    const budgets = new Set(specOf('PodDisruptionBudget').map(({ metadata }) => metadata.name));
    const serving = ours.filter(({ kind }) => kind !== 'Job').map(({ name }) => name);
    expect(serving.filter((name) => !budgets.has(name))).toEqual([]);
  });

  it('nothing is scaled to zero', () => {
    const scaled = specOf('ScaledObject').map(({ spec }) => [spec?.['minReplicaCount'], spec?.['idleReplicaCount']]);
    for (const [least, idle] of scaled) expect([Number(least) >= 1, idle]).toEqual([true, undefined]);
    for (const { spec } of specOf('HorizontalPodAutoscaler')) expect(Number(spec?.['minReplicas'])).toBeGreaterThan(0);
  });

  it('closes the network first', () => {
    const closed = specOf('NetworkPolicy').find(({ metadata }) => metadata.name === 'nothing-else');
    expect(closed?.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
  });
});

it.skipIf(!kubectl)('the schemas refuse a member that does not exist, and a value of another type', async () => {
  const [gateway] = rendered.flatMap(({ objects }) => objects.filter(({ kind }) => kind === 'Deployment'));
  if (!gateway) throw new Error('there is no Deployment');
  const misspelt = { ...gateway, spec: { ...gateway.spec, replica: 3 } };
  const wrong = { ...gateway, spec: { ...gateway.spec, replicas: 'three' } };
  expect((await schemaProblems([misspelt])).join()).toContain('replica');
  expect((await schemaProblems([wrong])).join()).toContain('replicas');
});

function roleOf({ image, args = [] }: Container): Role {
  if (args.includes('dist/migrate.js')) return 'migrate';
  return image.includes('gateway') ? 'gateway' : 'vcs-worker';
}

function portOf([name, value]: readonly [string, string]): readonly number[] {
  return name.endsWith('_PORT') ? [Number(value)] : [];
}
