import { BaseSequencer, type TestSpecification } from 'vitest/node';

// The projects by the duration of their files, longest first: with short files at the end, no worker is idle for long.
const projects = ['chaos', 'cluster', 'security', 'web', 'api', 'tools', 'unit', 'bench'];

/** Orders test files by project, and within a project as Vitest does: by known duration, else by size. */
export class CostliestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project }: TestSpecification) => projects.indexOf(project.name);
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
