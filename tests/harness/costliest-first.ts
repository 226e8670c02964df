import { BaseSequencer, type TestSpecification } from 'vitest/node';

// The projects by the duration of their files, longest first: with short files at the end, no worker is idle for long.
const projects = ['chaos', 'cluster', 'wire', 'security', 'web', 'api', 'tools', 'infra', 'unit', 'bench'];

function rankOf({ project }: TestSpecification): number {
  const rank = projects.indexOf(project.name);
  if (rank === -1) throw new Error(`tests/harness/costliest-first.ts has no rank for the project ${project.name}`);
  return rank;
}

/** Orders test files by project, and within a project as Vitest does: by known duration, else by size. */
export class CostliestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
