import type { CrashPoint } from '../../apps/vcs-worker/src/crash-points.ts';
import type { acts, Type } from './crash-acts.ts';

/**
 * What is to become of a call whose worker died: nothing, all of it, or a recorded failure that leaves nothing. `partly`
 * is for a rescan, each of whose adoptions stands for itself.
 */
export type End = 'never' | 'done' | 'undone' | 'partly';

/** A call that has a worker die at a point. */
export interface CallScenario {
  readonly act: keyof typeof acts;
  readonly type: Type;
  readonly end: End;
  /** The database refuses its last step. */
  readonly doomed?: true;
  /** Where a first worker dies, so that the armed one takes over what that one left. */
  readonly first?: CrashPoint;
  /** The armed worker is told to stop in the middle of it. */
  readonly stopped?: true;
}

/** A sweep that has a worker die: what lies where before it. */
export interface SweepScenario {
  readonly left: '@staging' | '@trash';
}

type Options = Pick<CallScenario, 'doomed' | 'first' | 'stopped'>;
const call = (act: CallScenario['act'], type: Type, end: End, options: Options = {}): CallScenario => ({
  act,
  type,
  end,
  ...options,
});
const doomed = { doomed: true } as const;

/** What passes each point, and what is to become of it. */
export const crashScenarios: Readonly<Record<CrashPoint, readonly (CallScenario | SweepScenario)[]>> = {
  'begin.recorded': [call('create', 'hg', 'never')],
  'begin.committed': [call('fork', 'git', 'done'), call('pull', 'hg', 'undone')],
  'create.built': [call('import', 'git', 'done')],
  'create.tip-read': [call('import', 'hg', 'done')],
  'publish.synced': [call('create', 'git', 'done')],
  'publish.moved': [call('import', 'git', 'done'), call('fork', 'hg', 'done')],
  'fork.source-chosen': [call('forkOfHurt', 'git', 'done')],
  'fork.copied': [call('fork', 'hg', 'done')],
  'repair.recovered': [call('forkOfHurt', 'hg', 'done'), call('pullIntoHurt', 'hg', 'undone')],
  'pull.touching': [call('pull', 'hg', 'undone'), call('pullIntoHurt', 'git', 'undone')],
  'pull.fetched': [call('pull', 'git', 'undone'), call('pull', 'hg', 'undone')],
  'pull.tip-read': [call('pull', 'git', 'undone')],
  'adopt.inspected': [call('adopt', 'hg', 'done')],
  'adopt.defused': [call('adopt', 'git', 'done')],
  'adopt.tip-read': [call('adopt', 'git', 'done')],
  'rescan.adopted': [call('adoptTwo', 'hg', 'partly')],
  'delete.fenced': [call('delete', 'git', 'done')],
  'delete.moved': [call('delete', 'hg', 'done')],
  'end.changed': [call('fork', 'git', 'done'), call('pull', 'hg', 'undone'), call('delete', 'git', 'done')],
  'end.committed': [call('import', 'hg', 'done'), call('pull', 'git', 'done')],
  'family.next': [call('deleteFamily', 'git', 'done')],
  'undo.begun': [call('import', 'hg', 'undone', doomed)],
  'undo-creation.cleared': [call('create', 'git', 'undone', doomed)],
  'undo-creation.moved': [call('fork', 'hg', 'undone', doomed)],
  'undo-delete.restored': [call('delete', 'hg', 'undone', doomed)],
  'takeover.claimed': [call('fork', 'git', 'done', { first: 'fork.copied' })],
  'takeover.cleared': [call('create', 'hg', 'done', { first: 'create.built' })],
  'handover.begun': [call('import', 'git', 'done', { stopped: true })],
  'handover.released': [call('import', 'git', 'done', { stopped: true })],
  'staging.swept': [{ left: '@staging' }],
  'trash.chosen': [{ left: '@trash' }],
  'trash.emptying': [{ left: '@trash' }],
  'write.acted': [call('grant', 'hg', 'never')],
  'write.audited': [call('rename', 'git', 'never')],
  'write.committed': [call('rename', 'hg', 'done'), call('renameGroup', 'git', 'done'), call('revoke', 'hg', 'done')],
  'rename.name-taken': [call('rename', 'hg', 'never')],
  'rename.changed': [call('rename', 'git', 'never')],
  'rename-group.renamed': [call('renameGroup', 'hg', 'never')],
  'grant.level-set': [call('grant', 'git', 'never')],
  'revoke.level-removed': [call('revoke', 'hg', 'never')],
};
