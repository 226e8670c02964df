import type { Sql } from 'postgres';
import type { ClientTool } from './client-tools.ts';

/** One push, as the client knows it. */
interface Pushed {
  readonly id: string;
  readonly acknowledged: boolean;
}

export interface PushTarget {
  readonly name: string;
  /** URLs of the repository, to which pushes go in turn. */
  readonly urls: readonly [string, ...string[]];
  /** Work tree that is pushed. */
  readonly path: string;
}

/** A client that pushes commit after commit to one branch, and knows what it was told. */
export class PushingClient {
  readonly pushed: Pushed[] = [];
  /** What clients said of pushes that were not acknowledged. */
  readonly failures: string[] = [];
  readonly target: PushTarget;
  readonly tool: ClientTool;

  constructor(tool: ClientTool, target: PushTarget) {
    this.tool = tool;
    this.target = target;
  }

  /** The last commit of which the client was told that it arrived; the others are its ancestors. */
  get lastTold(): string | undefined {
    return this.pushed.findLast(({ acknowledged }) => acknowledged)?.id;
  }

  get told(): number {
    return this.pushed.filter(({ acknowledged }) => acknowledged).length;
  }

  /** Pushes a further commit. */
  async act(): Promise<void> {
    const { path, urls } = this.target;
    const at = this.pushed.length;
    const id = await this.tool.commit(path, at);
    const acknowledged = await this.tool.push(path, urls[at % urls.length] ?? urls[0], id).then(
      () => true,
      (error: unknown) => {
        this.failures.push(String(error));
        return false;
      },
    );
    this.pushed.push({ id, acknowledged });
  }

  /** Finds differences between what the client was told, the repository, and the audit log. */
  async findFaults(sql: Sql, roots: Readonly<Record<string, string>>): Promise<string[]> {
    const { name } = this.target;
    const [row] = await sql<{ path: string; storage: string; recorded: number }[]>`
      select r.storage_path as path, s.name as storage,
          (select count(*)::int from audit_log a
            where a.repository_id = r.id and a.method = 'push' and a.outcome = 'succeeded') as recorded
        from repositories r join storages s on s.id = r.storage_id where r.name = ${name}`;
    const found = await this.tool.list(`${roots[row?.storage ?? '']}/${row?.path}`);
    const lost = this.pushed.filter(({ id, acknowledged }) => acknowledged && !found.has(id));
    const counts = `${row?.recorded} pushes of ${name} are recorded, ${this.told} of ${this.pushed.length} were told`;
    const isRight = row !== undefined && row.recorded >= this.told && row.recorded <= this.pushed.length;
    return [...lost.map(({ id }) => `${name} lacks the pushed ${id}`), ...(isRight ? [] : [counts])];
  }
}
