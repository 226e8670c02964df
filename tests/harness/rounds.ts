import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Sql } from 'postgres';
import * as v from 'valibot';
import type { Actor } from './acting.ts';
import type { SentCall } from './audit-replay.ts';
import { post } from './client.ts';
import type { ClientTool } from './client-tools.ts';
import type { Rotation } from './rotation.ts';

const Reply = v.object({ error: v.nullable(v.string()) });

/** Does the same calls again and again, none of which may fail. */
export interface Rounds extends Actor {
  /** Number of rounds that have ended. */
  readonly ended: number;
  readonly failures: readonly string[];
}

interface CallingOptions {
  readonly gateways: Rotation;
  readonly apiKey: string;
  /** Signs in at a gateway, and returns the header `Cookie` of the session. */
  readonly signIn: (url: string) => Promise<string>;
  /** Group of the repositories. */
  readonly group: string;
  /** A repository with files, which is read in each round. */
  readonly source: string;
  /** Pages that are opened in each round. */
  readonly pages: readonly string[];
}

/**
 * Creates, reads, shares and deletes a repository in each round, of both types in turn, and opens pages. Where a page asks
 * for it, as those of this release do of whom release 0.1.0 has signed in, it signs in first.
 */
export class CallingRounds implements Rounds {
  readonly failures: string[] = [];
  readonly sent: SentCall[] = [];
  readonly #options: CallingOptions;
  #cookie = '';
  ended = 0;

  constructor(options: CallingOptions) {
    this.#options = options;
  }

  async act(): Promise<void> {
    const { group, source, pages } = this.#options;
    const name = `${group}/r${this.ended}`;
    await this.#call('create_repo', { repo_name: name, repo_type: this.ended % 2 === 0 ? 'git' : 'hg' });
    await this.#call('get_repo', { repoid: name });
    await this.#call('grant_user_permission', { repoid: name, userid: 'bob', perm: 'repository.write' });
    await this.#call('get_repo_nodes', { repoid: source, revision: 'tip', root_path: '/' });
    for (const page of [`/${name}`, ...pages]) await this.#open(page);
    await this.#call('delete_repo', { repoid: name });
    this.ended += 1;
  }

  async #call(method: string, args: Readonly<Record<string, unknown>>): Promise<void> {
    const { gateways, apiKey } = this.#options;
    const body = JSON.stringify({ id: 1, api_key: apiKey, method, args });
    const error = await gateways
      .use(async (url) => v.parse(Reply, JSON.parse((await post(url, body)).text)).error)
      .catch(String);
    if (error !== null) this.failures.push(`${method} ${JSON.stringify(args)}: ${error}`);
    if (!method.startsWith('get_')) this.sent.push({ method, args, acknowledged: error === null });
  }

  async #open(path: string): Promise<void> {
    const { gateways, signIn } = this.#options;
    const getOnce = async (url: string) => {
      const response = await fetch(url + path, { headers: { cookie: this.#cookie }, redirect: 'manual' });
      await response.arrayBuffer();
      return response.status;
    };
    const get = async (url: string) => {
      const status = await getOnce(url);
      if (status !== 302) return status;
      this.#cookie = await signIn(url);
      return getOnce(url);
    };
    const status = await gateways.use(get).catch(String);
    if (status !== 200) this.failures.push(`${path}: ${status}`);
  }
}

interface PushingOptions {
  readonly gateways: Rotation;
  readonly apiKey: string;
  /** Name of the repository. */
  readonly name: string;
  /** Work tree that is pushed. */
  readonly path: string;
}

/** Pushes a commit in each round, and clones the repository with it. */
export class PushingRounds implements Rounds {
  readonly failures: string[] = [];
  readonly #tool: ClientTool;
  readonly #options: PushingOptions;
  readonly #pushed: string[] = [];

  constructor(tool: ClientTool, options: PushingOptions) {
    this.#tool = tool;
    this.#options = options;
  }

  get ended(): number {
    return this.#pushed.length;
  }

  async act(): Promise<void> {
    const { path } = this.#options;
    const id = await this.#tool.commit(path, this.ended);
    await this.#do('push', (url) => this.#tool.push(path, url, id));
    const copy = `${path}-${randomUUID()}`;
    await this.#do('clone', (url) => this.#tool.clone(url, copy));
    await this.#tool
      .find(copy, id)
      .catch((error: unknown) => this.failures.push(`a clone lacks ${id}: ${String(error)}`));
    await rm(copy, { recursive: true, force: true });
    this.#pushed.push(id);
  }

  async #do(what: string, act: (url: string) => Promise<unknown>): Promise<void> {
    const { gateways, apiKey, name } = this.#options;
    const atGateway = (base: string) => act(`http://api-key:${apiKey}@${new URL(base).host}/${name}`);
    await gateways.use(atGateway).catch((error: unknown) => this.failures.push(`${what}: ${String(error)}`));
  }

  /** Finds commits that the repository lacks, and pushes that were not recorded once. */
  async findFaults(sql: Sql, storageRoot: string): Promise<string[]> {
    const { name } = this.#options;
    const [row] = await sql<{ path: string; recorded: number }[]>`
      select r.storage_path as path, (select count(*)::int from audit_log a
          where a.repository_id = r.id and a.method = 'push' and a.outcome = 'succeeded') as recorded
        from repositories r where r.name = ${name}`;
    const found = await this.#tool.list(`${storageRoot}/${row?.path}`);
    const counts = `${row?.recorded} pushes of ${name} are recorded, and ${this.ended} were made`;
    return [
      ...this.#pushed.filter((id) => !found.has(id)).map((id) => `${name} lacks ${id}`),
      ...(row?.recorded === this.ended ? [] : [counts]),
    ];
  }
}
