/**
 * Points at which a worker's death would leave the most half done, each passed at one line of the code. Tests arm one
 * of them with TRUNKLINE_CRASH_AT; tests/harness/crash-scenarios.ts has the call that passes it and the expected end.
 */
export const crashPoints = [
  'begin.recorded',
  'begin.committed',
  'create.built',
  'create.tip-read',
  'publish.synced',
  'publish.moved',
  'fork.source-chosen',
  'fork.copied',
  'fork.published',
  'repair.recovered',
  'pull.touching',
  'pull.fetched',
  'pull.tip-read',
  'default-branch.changed',
  'push.begun',
  'push.moved',
  'push.closing',
  'push.changed',
  'push.synced',
  'adopt.inspected',
  'adopt.configuration-replaced',
  'adopt.tip-read',
  'replace.configuration-replaced',
  'replace.compared',
  'rescan.adopted',
  'move.begun',
  'copy.received',
  'move.copied',
  'move.taken',
  'move.sent',
  'move.checked',
  'move.published',
  'move.committing',
  'maintain.added',
  'maintain.removed',
  'maintain.tidying',
  'copy.trashed',
  'delete.fenced',
  'delete.moved',
  'restore.fenced',
  'restore.moved',
  'end.changed',
  'end.committed',
  'family.next',
  'undo.begun',
  'undo-creation.cleared',
  'undo-creation.moved',
  'undo-delete.fenced',
  'undo-delete.restored',
  'undo-restore.trashed',
  'takeover.claimed',
  'takeover.cleared',
  'handover.begun',
  'handover.released',
  'staging.swept',
  'trash.chosen',
  'trash.emptying',
  'write.acted',
  'write.audited',
  'write.committed',
  'rename.name-taken',
  'rename.changed',
  'rename-group.renamed',
] as const;

export type CrashPoint = (typeof crashPoints)[number];

/** What happens to the process at the armed point: it dies, or is suspended until it gets SIGCONT. */
export const crashSignals = ['SIGKILL', 'SIGSTOP'] as const;

export interface ArmedCrashPoint {
  readonly name: CrashPoint;
  readonly signal: (typeof crashSignals)[number];
}

let armed: ArmedCrashPoint | null = null;

/** Makes this process send itself a signal when it first passes the point. */
export function armCrashPoint(point: ArmedCrashPoint | null): void {
  armed = point;
}

export function crashPoint(name: CrashPoint): void {
  if (name !== armed?.name) return;
  const { signal } = armed;
  armed = null;
  process.kill(process.pid, signal);
}
