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
  'repair.recovered',
  'pull.touching',
  'pull.fetched',
  'pull.tip-read',
  'adopt.inspected',
  'adopt.configuration-replaced',
  'adopt.tip-read',
  'rescan.adopted',
  'delete.fenced',
  'delete.moved',
  'end.changed',
  'end.committed',
  'family.next',
  'undo.begun',
  'undo-creation.cleared',
  'undo-creation.moved',
  'undo-delete.restored',
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
  'grant.level-set',
  'revoke.level-removed',
] as const;

export type CrashPoint = (typeof crashPoints)[number];

let armed: CrashPoint | null = null;

/** Makes this process kill itself with SIGKILL when it passes the point. */
export function armCrashPoint(name: CrashPoint | null): void {
  armed = name;
}

export function crashPoint(name: CrashPoint): void {
  if (name === armed) process.kill(process.pid, 'SIGKILL');
}
