/**
 * Moments at which a worker that dies would leave the most behind, each in one place of the code. Tests arm one of them
 * with TRUNKLINE_CRASH_AT; tests/harness/crash-scenarios.ts says what passes it and what is to become of that.
 */
export const crashPoints = [
  'begin.recorded',
  'begin.committed',
  'create.built',
  'create.tip-read',
  'publish.synced',
  'publish.moved',
  'fork.source-chosen',
  'fork.source-repaired',
  'fork.copied',
  'pull.repaired',
  'pull.fetched',
  'pull.tip-read',
  'adopt.inspected',
  'adopt.defused',
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

/** From here on this process dies, as by kill -9, where it passes the point. */
export function armCrashPoint(name: CrashPoint | null): void {
  armed = name;
}

export function crashPoint(name: CrashPoint): void {
  if (name === armed) process.kill(process.pid, 'SIGKILL');
}
