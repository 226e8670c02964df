import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inOrder, type ComposeFile } from './compose-file.ts';
import { startService, type Running } from './start-service.ts';

/** The services of a compose file as processes of this machine, with the same configuration. */
export class ComposeProcesses {
  /** Addresses of this machine by those of the compose file. */
  readonly addresses = new Map<string, string>();
  readonly #directory: string;
  readonly #file: () => Promise<ComposeFile>;
  readonly #running = new Map<string, readonly Running[]>();

  /** `file` reads the compose file, at each start of services. */
  constructor(directory: string, file: () => Promise<ComposeFile>) {
    this.#directory = directory;
    this.#file = file;
  }

  /** Starts what does not run of these services; of all when none is named. */
  async up(names: readonly string[] = []): Promise<void> {
    const file = await this.#file();
    await mkdir(join(this.#directory, 'logs'), { recursive: true });
    const wanted = inOrder(file).filter((name) => names.length === 0 || names.includes(name));
    // Workers and gateways need nothing of one another, and start together as they do in containers.
    let together: Promise<void>[] = [];
    for (const name of wanted.filter((one) => !this.#running.has(one))) {
      const isApp = /^(worker|gateway)/.test(name);
      if (!isApp) await Promise.all(together.splice(0));
      together = [...together, this.#start(file, name)];
      if (!isApp) await Promise.all(together.splice(0));
    }
    await Promise.all(together);
  }

  async #start(file: ComposeFile, name: string): Promise<void> {
    const service = file.services[name];
    if (!service) throw new Error(`no such service: ${name}`);
    const replicas = Array.from({ length: service.deploy?.replicas ?? 1 }, () =>
      startService({ name, service, addresses: this.addresses, directory: this.#directory }),
    );
    this.#running.set(name, await Promise.all(replicas));
  }

  async stop(names: readonly string[]): Promise<void> {
    await this.#end(names, (one) => one.stop());
  }

  async kill(names: readonly string[]): Promise<void> {
    await this.#end(names, (one) => one.kill());
  }

  async #end(names: readonly string[], how: (one: Running) => Promise<void>): Promise<void> {
    await Promise.all(
      names.map(async (name) => {
        const found = this.#running.get(name);
        if (!found) throw new Error(`no such service: ${name}`);
        await Promise.all(found.map(how));
        this.#running.delete(name);
      }),
    );
  }

  /** Stops everything, the balancer first and the servers last. */
  async down(): Promise<void> {
    const names = [...this.#running.keys()].toReversed();
    const apps = names.filter((name) => /^(worker|gateway|haproxy)/.test(name));
    await this.stop(apps);
    await this.stop(names.filter((name) => !apps.includes(name)));
  }

  list(): readonly string[] {
    return [...this.#running.keys()];
  }
}
