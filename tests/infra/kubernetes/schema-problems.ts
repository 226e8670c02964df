import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../project-root.ts';
import type { KubeObject } from './rendered.ts';

const tsc = join(projectRoot, 'node_modules/.bin/tsc');
const packages = join(projectRoot, 'tests/node_modules');

/** Returns the module of the published models that describes an object. */
function moduleOf({ apiVersion, kind }: KubeObject): string {
  if (apiVersion.startsWith('keda.sh/')) return `@kubernetes-models/keda/${apiVersion}/${kind}`;
  return `kubernetes-models/${apiVersion}/${kind}`;
}

const label = ({ kind, metadata }: KubeObject) => `${kind} ${metadata.name}`;

type Model = new (data: object) => { validate(): void };

/** Validates one object by its JSON schema. */
async function validate(object: KubeObject): Promise<readonly string[]> {
  try {
    const found = (await import(moduleOf(object))) as Record<string, Model>;
    const model = found[object.kind];
    if (!model) throw new Error('has no model');
    new model(object).validate();
    return [];
  } catch (error) {
    return [`${label(object)}: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/** Finds members that no object of the kind has, which the schemas allow, by the types that are made of them. */
async function unknownMembers(objects: readonly KubeObject[]): Promise<readonly string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-manifests-'));
  try {
    await symlink(packages, join(directory, 'node_modules'));
    const lines = objects.flatMap((object, at) => [
      `import type { I${object.kind} as Type${at} } from '${moduleOf(object)}';`,
      `export const object${at}: Type${at} = ${JSON.stringify(object)};`,
    ]);
    await writeFile(join(directory, 'objects.ts'), `${lines.join('\n')}\n`);
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', ''];
    await promisify(execFile)(tsc, [...options, join(directory, 'objects.ts')], { cwd: directory });
    return [];
  } catch (error) {
    const { stdout = '' } = error as { stdout?: string };
    if (stdout === '') throw error;
    return stdout.trim().split('\n');
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Returns what the published schemas refuse in objects of Kubernetes and KEDA, unknown members included. */
export async function schemaProblems(objects: readonly KubeObject[]): Promise<readonly string[]> {
  const problems = await Promise.all(objects.map(validate));
  return [...problems.flat(), ...(await unknownMembers(objects))];
}
