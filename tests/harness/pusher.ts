import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import { git } from './remotes.ts';

/** One push of a git client, as the client knows it. */
interface Pushed {
  readonly id: string;
  readonly acknowledged: boolean;
}

export interface Pusher {
  /** Ends after the push that is being made. */
  stop(): Promise<void>;
}

/** A client that pushes commit after commit to one branch, and knows what it was told. */
export class PushingClient {
  readonly pushed: Pushed[] = [];
  readonly #name: string;
  readonly #path: string;
  readonly #urls: readonly [string, ...string[]];

  /** Pushes from a work tree, to one of these URLs of the repository in turn. */
  constructor(name: string, path: string, urls: readonly [string, ...string[]]) {
    this.#name = name;
    this.#path = path;
    this.#urls = urls;
  }

  async #pushOne(): Promise<void> {
    const at = this.pushed.length;
    await writeFile(join(this.#path, 'file'), String(at));
    await git(this.#path, 'add', 'file');
    await git(this.#path, 'commit', '-q', '-m', `push ${at}`);
    const id = (await git(this.#path, 'rev-parse', 'HEAD')).trim();
    const url = this.#urls[at % this.#urls.length] ?? this.#urls[0];
    const acknowledged = await git(this.#path, 'push', '-q', url, `${id}:refs/heads/main`).then(
      () => true,
      () => false,
    );
    this.pushed.push({ id, acknowledged });
  }

  start(): Pusher {
    const stopping = new AbortController();
    const push = async () => {
      while (!stopping.signal.aborted) await this.#pushOne();
    };
    const pushing = push();
    return {
      async stop() {
        stopping.abort();
        await pushing;
      },
    };
  }

  /** Finds differences between what the client was told, the references, and the audit log. */
  async findFaults(sql: Sql, roots: Readonly<Record<string, string>>): Promise<string[]> {
    const [row] = await sql<{ path: string; storage: string; recorded: number }[]>`
      select r.storage_path as path, s.name as storage,
          (select count(*)::int from audit_log a
            where a.repository_id = r.id and a.method = 'push' and a.outcome = 'succeeded') as recorded
        from repositories r join storages s on s.id = r.storage_id where r.name = ${this.#name}`;
    const listed = await git(`${roots[row?.storage ?? '']}/${row?.path}`, 'rev-list', '--branches');
    const found = new Set(listed.split('\n'));
    const lost = this.pushed.filter(({ id, acknowledged }) => acknowledged && !found.has(id));
    const told = this.pushed.filter(({ acknowledged }) => acknowledged).length;
    const counts = `${row?.recorded} pushes of ${this.#name} are recorded, ${told} of ${this.pushed.length} were told`;
    const isRight = row !== undefined && row.recorded >= told && row.recorded <= this.pushed.length;
    return [...lost.map(({ id }) => `${this.#name} lacks the pushed ${id}`), ...(isRight ? [] : [counts])];
  }
}
