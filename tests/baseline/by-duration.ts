import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds by the clock and of the processors that a file took when `durations.json` was recorded. */
type Duration = readonly [wallSeconds: number, processorSeconds: number];

/** A file that nobody has measured. */
const unknown: Duration = [5, 2];

// A worker goes on with another file of its project and is started anew for one of another project. The projects with
// long files come first: with short files at the end, no worker is idle for long.
const projects = ['chaos', 'cluster', 'wire', 'security', 'web', 'api', 'tools', 'infra', 'unit', 'bench'];

function rankOf(project: string): number {
  const rank = projects.indexOf(project);
  if (rank === -1) throw new Error(`tests/baseline/by-duration.ts has no rank for the project ${project}`);
  return rank;
}

/**
 * Orders the files of a project so that those which wait stand beside those which compute, each of them longest first: no
 * two files in a row keep the same thing busy.
 */
export function interleave<T>(files: readonly T[], durationOf: (file: T) => Duration): T[] {
  const sorted = files.toSorted((a, b) => durationOf(b)[0] - durationOf(a)[0]);
  const computes = (file: T) => durationOf(file)[1] > durationOf(file)[0] / 2;
  const [computing, waiting] = [sorted.filter(computes), sorted.filter((file) => !computes(file))];
  const place = (of: readonly T[]) => of.map((file, at) => ({ file, at: (at + 0.5) / of.length }));
  return [...place(waiting), ...place(computing)].toSorted((a, b) => a.at - b.at).map(({ file }) => file);
}

/** Orders test files by project, and within a project by the durations that `durations.json` has. */
export class ByDuration extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const path = join(import.meta.dirname, 'durations.json');
    const known: Readonly<Record<string, Duration>> = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
    const durationOf = ({ project, moduleId }: TestSpecification) =>
      known[relative(project.config.root, moduleId)] ?? unknown;
    const names = [...new Set(files.map(({ project }) => project.name))].toSorted((a, b) => rankOf(a) - rankOf(b));
    const ofProject = (name: string) => files.filter(({ project }) => project.name === name);
    return Promise.resolve(names.flatMap((name) => interleave(ofProject(name), durationOf)));
  }
}
