import type { OperationRunners } from '../operations/claimed-operation.ts';
import { adoptRunner, replaceRunner } from './adopt-runner.ts';
import { creationRunner } from './creation-runner.ts';
import { defaultBranchRunner } from './default-branch-runner.ts';
import { deleteRunner } from './delete-runner.ts';
import { forkRunner } from './fork-runner.ts';
import { maintainRunner, type MaintainTools } from './maintain-runner.ts';
import { moveRunner } from './move-runner.ts';
import { pullRunner } from './pull-runner.ts';
import { pushRunner, type PushTools } from './push-runner.ts';
import { restoreRunner } from './restore-runner.ts';
import { verifyRunner } from './verify-runner.ts';

/** Creates the runners of all kinds of operations. */
export function operationRunners(tools: MaintainTools & PushTools): OperationRunners {
  const building = creationRunner(tools);
  return {
    adopt: adoptRunner(tools),
    replace: replaceRunner(tools),
    create: building,
    import: building,
    fork: forkRunner(tools),
    pull: pullRunner(tools),
    push: pushRunner(tools),
    delete: deleteRunner(tools),
    restore: restoreRunner(tools),
    default_branch: defaultBranchRunner(tools),
    move: moveRunner(tools),
    verify: verifyRunner(tools),
    maintain: maintainRunner(tools),
  };
}
