import type { ConsistencyRecord } from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import type { Tools } from '../methods/context.ts';

/** Something half done or left over, and what may be done about it. */
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
  /** Whether it was done: what was found may have changed since. */
  readonly act: () => Promise<boolean>;
}

export interface Finder extends Pick<Tools, 'storage' | 'wakeSweepers' | 'trashDays'> {
  readonly db: Db;
  readonly now: Date;
}

/** A repair that the sweepers of the workers do by themselves, only sooner. */
export function waking(wakeSweepers: Finder['wakeSweepers'], text: string): Repair {
  const act = async () => {
    wakeSweepers();
    return true;
  };
  return { text, act };
}
