import type { CrashPoint } from '../../apps/vcs-worker/src/crash-points.ts';
import type { acts } from './crash-acts.ts';
import type { Type } from './crash-case.ts';

/**
 * Expected end of a call whose worker died: `never` is no effect and no record, `done` the whole effect, `undone` a
 * recorded failure without effect. `partly` is for a rescan, whose adoptions are independent of each other.
 */
export type End = 'never' | 'done' | 'undone' | 'partly';

/** A call during which a worker dies at a crash point. */
export interface CallScenario {
  readonly act: keyof typeof acts;
  readonly type: Type;
  readonly end: End;
  /** The database refuses the last step of the call. */
  readonly doomed?: true;
  /** Crash point at which a first worker dies, so that the armed worker takes over its operation. */
  readonly first?: CrashPoint;
  /** The armed worker gets SIGTERM in the middle of the call. */
  readonly stopped?: true;
}

/** A sweep during which a worker dies: the directory with leftovers that the sweep removes, or the role of a copy. */
export interface SweepScenario {
  readonly left: '@staging' | '@trash' | 'leaving' | 'arriving';
}

type Options = Pick<CallScenario, 'doomed' | 'first' | 'stopped'>;
const call = (act: CallScenario['act'], type: Type, end: End, options: Options = {}): CallScenario => ({
  act,
  type,
  end,
  ...options,
});
const doomed = { doomed: true } as const;

/** Pushes into a new repository, of one commit into a filled one, and of hundreds of references, by these clients in turn. */
const pushes = (end: End, ...types: readonly Type[]): CallScenario[] =>
  (['push', 'pushUpdate', 'pushMany'] as const).flatMap((act) => types.map((type) => call(act, type, end)));

/** The calls and sweeps that pass each crash point, and their expected ends. */
export const crashScenarios: Readonly<Record<CrashPoint, readonly (CallScenario | SweepScenario)[]>> = {
  'begin.recorded': [call('create', 'hg', 'never')],
  'begin.committed': [call('fork', 'git', 'done'), call('pull', 'hg', 'undone')],
  'create.built': [call('import', 'git', 'done')],
  'create.tip-read': [call('import', 'hg', 'done')],
  'publish.synced': [call('create', 'git', 'done'), call('move', 'git', 'done')],
  'publish.moved': [call('import', 'git', 'done'), call('fork', 'hg', 'done'), call('move', 'hg', 'done')],
  'fork.source-chosen': [call('forkOfInterrupted', 'git', 'done')],
  'fork.copied': [call('fork', 'hg', 'done')],
  'fork.published': [call('forkElsewhere', 'git', 'done')],
  'repair.recovered': [call('forkOfInterrupted', 'hg', 'done'), call('pullIntoInterrupted', 'hg', 'undone')],
  'pull.touching': [call('pull', 'hg', 'undone'), call('pullIntoInterrupted', 'git', 'undone')],
  'pull.fetched': [call('pull', 'git', 'undone'), call('pull', 'hg', 'undone')],
  'pull.tip-read': [call('pull', 'git', 'undone')],
  'default-branch.changed': [call('defaultBranch', 'git', 'done')],
  'push.begun': pushes('undone', 'git', 'hg'),
  'push.moved': pushes('undone', 'git', 'hg'),
  'push.closing': pushes('undone', 'hg'),
  'push.changed': pushes('done', 'hg', 'git'),
  'push.synced': pushes('done', 'git', 'hg'),
  'adopt.inspected': [call('adopt', 'hg', 'done')],
  'adopt.configuration-replaced': [call('adopt', 'git', 'done')],
  'adopt.tip-read': [call('adopt', 'git', 'done')],
  'replace.configuration-replaced': [call('replace', 'hg', 'done')],
  'replace.compared': [call('replace', 'git', 'done')],
  'rescan.adopted': [call('adoptTwo', 'hg', 'partly')],
  'move.begun': [call('move', 'hg', 'done')],
  'copy.received': [call('move', 'git', 'done')],
  'move.copied': [call('move', 'hg', 'done')],
  'move.taken': [call('move', 'git', 'done')],
  'move.sent': [call('move', 'hg', 'done')],
  'move.checked': [call('move', 'git', 'done')],
  'move.published': [call('move', 'hg', 'done')],
  'move.committing': [call('move', 'git', 'done')],
  'maintain.added': [call('removeUnreachable', 'git', 'done'), call('maintain', 'git', 'done')],
  'maintain.removed': [call('maintain', 'git', 'done'), call('removeUnreachable', 'git', 'done')],
  'maintain.tidying': [call('maintain', 'git', 'done')],
  'copy.trashed': [{ left: 'leaving' }, { left: 'arriving' }],
  'delete.fenced': [call('delete', 'git', 'done')],
  'delete.moved': [call('delete', 'hg', 'done')],
  'restore.fenced': [call('restore', 'hg', 'done')],
  'restore.moved': [call('restore', 'git', 'done')],
  'end.changed': [
    call('fork', 'git', 'done'),
    call('pull', 'hg', 'undone'),
    call('delete', 'git', 'done'),
    call('replace', 'git', 'done'),
  ],
  'end.committed': [
    call('import', 'hg', 'done'),
    call('pull', 'git', 'done'),
    call('replace', 'hg', 'done'),
    ...pushes('done', 'git', 'hg'),
  ],
  'family.next': [call('deleteFamily', 'git', 'done')],
  'undo.begun': [call('import', 'hg', 'undone', doomed)],
  'undo-creation.cleared': [call('create', 'git', 'undone', doomed)],
  'undo-creation.moved': [call('fork', 'hg', 'undone', doomed)],
  'undo-delete.fenced': [call('delete', 'git', 'undone', doomed)],
  'undo-delete.restored': [call('delete', 'hg', 'undone', doomed)],
  'undo-restore.trashed': [call('restore', 'git', 'undone', doomed)],
  'takeover.claimed': [call('fork', 'git', 'done', { first: 'fork.copied' })],
  'takeover.cleared': [call('create', 'hg', 'done', { first: 'create.built' })],
  'handover.begun': [call('import', 'git', 'done', { stopped: true })],
  'handover.released': [call('import', 'git', 'done', { stopped: true })],
  'staging.swept': [{ left: '@staging' }],
  'trash.chosen': [{ left: '@trash' }],
  'trash.emptying': [{ left: '@trash' }],
  'write.acted': [call('rename', 'hg', 'never'), call('grant', 'git', 'never')],
  'write.audited': [call('rename', 'git', 'never')],
  'write.committed': [
    call('rename', 'hg', 'done'),
    call('renameGroup', 'git', 'done'),
    call('revoke', 'hg', 'done'),
    call('grant', 'git', 'done'),
  ],
  'rename.name-taken': [call('rename', 'hg', 'never')],
  'rename.changed': [call('rename', 'git', 'never')],
  'rename-group.renamed': [call('renameGroup', 'hg', 'never')],
};
