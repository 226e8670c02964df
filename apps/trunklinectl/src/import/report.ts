import type { Outcome } from '../command.ts';
import type { Finding } from './plan/finding.ts';
import type { Plan } from './plan/plan.ts';

export interface ImportReport {
  readonly plan: Plan;
  readonly isDryRun: boolean;
  readonly findings: readonly Finding[];
  /** Null in a dry run. */
  readonly written: {
    readonly created: number;
    readonly changed: number;
    readonly unchanged: number;
    readonly repositories: { readonly adopted: number; readonly waiting: number };
  } | null;
}

const headings: Readonly<Record<Finding['kind'], string>> = {
  refused: 'Not brought',
  renamed: 'Renamed',
  replaced: 'Replaced',
  'weak key': 'Keys',
  'left out': 'Left out',
  rights: 'Rights that are written in another way',
  differs: 'Different here',
  kept: 'Changed here and in the source, and left as it is here',
};

/** What the source holds could move the cursor or break a line. */
const unprintable = /[\p{Cc}\p{Cf}]/gu;

function toLine({ about, what, proposed }: Finding): string {
  const line = proposed === undefined ? `${about}: ${what}` : `${about} -> ${proposed}: ${what}`;
  return `  ${line.replaceAll(unprintable, '?')}`;
}

function countsOf({ users, userGroups, repoGroups, repositories }: Plan) {
  return {
    users: users.length,
    user_groups: userGroups.length,
    repository_groups: repoGroups.length,
    repositories: repositories.length,
  };
}

function summaryOf({ isDryRun, written, plan }: ImportReport): string[] {
  const found = Object.entries(countsOf(plan)).map(([what, number]) => `${number} ${what.replaceAll('_', ' ')}`);
  if (isDryRun || !written) return [`would import ${found.join(', ')}; nothing was written`];
  const { created, changed, unchanged, repositories } = written;
  const lines = [
    `found ${found.join(', ')}`,
    `created ${created}, changed ${changed}, left ${unchanged} as they are`,
    `repositories adopted by workers: ${repositories.adopted}`,
  ];
  if (repositories.waiting === 0) return lines;
  return [
    ...lines,
    `repositories that wait for a worker: ${repositories.waiting}; they appear once one has adopted them`,
  ];
}

/** Makes the report, as text and as JSON; neither holds a key, a password or a remote location. */
export function toOutcome(report: ImportReport): Outcome {
  const { plan, findings, isDryRun, written } = report;
  const kinds = Object.keys(headings) as Finding['kind'][];
  const sections = kinds.flatMap((kind) => {
    const lines = findings.filter((finding) => finding.kind === kind).map(toLine);
    return lines.length === 0 ? [] : ['', `${headings[kind]} (${lines.length}):`, ...lines];
  });
  const notBrought = Object.entries(plan.notBrought).map(([what, number]) => `  ${number} ${what}`);
  const left = notBrought.length === 0 ? [] : ['', 'Without a counterpart here:', ...notBrought];
  const deleted = Object.entries(plan.deletedHere).map(([what, number]) => `  ${number} ${what}`);
  const gone =
    deleted.length === 0 ? [] : ['', 'Deleted here since they were imported, and not brought again:', ...deleted];
  return {
    text: [...summaryOf(report), ...sections, ...gone, ...left].join('\n'),
    record: {
      dry_run: isDryRun,
      found: countsOf(plan),
      written,
      findings: findings.map(({ kind, about, what, proposed = null }) => ({ kind, about, what, proposed })),
      deleted_here: plan.deletedHere,
      not_brought: plan.notBrought,
    },
    isFailure: findings.some(({ kind }) => kind === 'refused'),
  };
}
