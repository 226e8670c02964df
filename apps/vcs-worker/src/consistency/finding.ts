import type { ConsistencyRecord } from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import type { Tools } from '../methods/context.ts';

/** An inconsistency and its repair. */
export interface Finding {
  readonly kind: ConsistencyRecord['findings'][number]['kind'];
  readonly repositoryId?: number;
  readonly name?: string;
  readonly path?: string;
  readonly operationId?: string;
  readonly since?: Date | null;
  readonly msg: string;
  readonly repair?: Repair | undefined;
}

export interface Repair {
  readonly text: string;
  /** Returns whether the repair was made: the state may have changed since it was read. */
  readonly act: () => Promise<boolean>;
}

export interface Finder extends Pick<Tools, 'storage' | 'wakeSweepers' | 'trashDays'> {
  readonly db: Db;
  readonly now: Date;
}

/** Wakes the workers' sweepers, which make this repair anyway at their next turn. */
export function waking(wakeSweepers: Finder['wakeSweepers'], text: string): Repair {
  const act = async () => {
    wakeSweepers();
    return true;
  };
  return { text, act };
}
