import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { infra } from '../project-root.ts';

interface Reference {
  readonly name: string;
  readonly key?: string;
}

export interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef?: Reference;
    readonly fieldRef?: { readonly fieldPath: string };
  };
}

interface Probe {
  readonly httpGet?: { readonly port: string | number };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly Variable[];
  readonly envFrom?: readonly { readonly configMapRef: Reference }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly securityContext?: object;
}

type Labels = Readonly<Record<string, string>>;

export interface Pod {
  readonly metadata: { readonly labels: Labels };
  readonly spec: {
    readonly containers: readonly Container[];
    readonly securityContext?: object;
    readonly terminationGracePeriodSeconds?: number;
  };
}

/** What this code uses of an object of Kubernetes. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>> & { readonly template?: Pod };
}

export const overlays = readdirSync(infra('kubernetes', 'overlays'));

/** The kubectl that `npm test` has found or fetched. */
export const kubectl = process.env['TRUNKLINE_TEST_KUBECTL'];

/** Renders an overlay. */
export function render(overlay: string): readonly KubeObject[] {
  if (!kubectl) throw new Error('npm test has not found kubectl');
  const text = execFileSync(kubectl, ['kustomize', infra('kubernetes', 'overlays', overlay)], { encoding: 'utf8' });
  return parseAllDocuments(text).map((document) => document.toJS() as KubeObject);
}

/** Returns whether labels have those that a selector wants. */
export function selects(wanted: Labels, labels: Labels): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}

/** Returns the environment of a container, with sample values for secrets. */
export function environmentIn(
  objects: readonly KubeObject[],
  { name, template }: { readonly name: string; readonly template: Pod },
  { env = [], envFrom = [] }: Container,
  secrets: Labels,
): Record<string, string> {
  const maps = envFrom.map(({ configMapRef }) => {
    const found = objects.find((one) => one.kind === 'ConfigMap' && one.metadata.name === configMapRef.name);
    if (!found) throw new Error(`there is no ConfigMap ${configMapRef.name}`);
    return found.data ?? {};
  });
  const fields: Record<string, string> = { 'metadata.name': `${name}-0`, 'status.podIP': '10.0.0.1' };
  for (const [label, value] of Object.entries(template.metadata.labels)) fields[`metadata.labels['${label}']`] = value;
  const all: Record<string, string> = Object.assign({}, ...maps);
  for (const { name: variable, value, valueFrom } of env) {
    const found = value ?? (valueFrom?.fieldRef ? fields[valueFrom.fieldRef.fieldPath] : secrets[variable]);
    if (found === undefined) throw new Error(`${name} has no value for ${variable}`);
    all[variable] = found.replaceAll(/\$\((\w+)\)/g, (_, other: string) => all[other] ?? `$(${other})`);
  }
  return all;
}
