import { sizeText } from '@trunkline/contracts';
import type { DoctorSettings } from '../config.ts';
import { type Finding, findingsOf, type Machine } from './check.ts';

const { ok, warning, failure } = findingsOf('machine');

const threadsMin = 16;
const openFilesNeeded = 1_024;
const openFilesMin = 8_192;
const memoryMin = 1_000_000_000;
/** Part of the memory that git and hg may use, so that the worker and the cache of files have the rest. */
const childPart = 0.5;
const nodeMin = [20, 19] as const;

function checkThreads({ environment }: DoctorSettings): Finding {
  const threads = Number(environment['UV_THREADPOOL_SIZE'] || 4);
  if (threads >= threadsMin) return ok(`Node.js has ${threads} threads for files and names.`);
  const what = `Node.js has ${threads} threads for everything that waits in the system, so that a slow disk stops the rest.`;
  return warning(what, `Set UV_THREADPOOL_SIZE=${threadsMin} in the environment of every gateway and worker.`);
}

async function checkOpenFiles(machine: Machine): Promise<Finding> {
  const found = await machine.openFilesMax();
  if (found === null || found >= openFilesMin) return ok(`A process may open ${found ?? 'enough'} files.`);
  const what = `A process may open ${found} files at most, and a busy one needs more.`;
  const todo = `Raise the limit to ${openFilesMin} or more: LimitNOFILE of a unit of systemd, or ulimit -n.`;
  return found < openFilesNeeded ? failure(what, todo) : warning(what, todo);
}

function checkMemory({ config }: DoctorSettings, machine: Machine): Finding {
  const bytes = machine.memoryBytes();
  const children = config.TRUNKLINE_CHILD_MEMORY_BYTES ?? 0;
  if (children > bytes * childPart) {
    const what = `TRUNKLINE_CHILD_MEMORY_BYTES is more than half of the ${sizeText(bytes)} that a worker may use.`;
    return warning(what, 'Lower it, or give the worker more memory (docs/running/limits.md).');
  }
  if (bytes >= memoryMin) return ok(`A process may use ${sizeText(bytes)} of memory.`);
  return warning(`A process may use ${sizeText(bytes)} of memory only.`, 'Give it 1 GB or more.');
}

function checkNode({ nodeVersion }: Machine): Finding {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const isNew = major > nodeMin[0] || (major === nodeMin[0] && minor >= nodeMin[1]);
  if (isNew) return ok(`Node.js is ${nodeVersion}.`);
  return failure(`Node.js is ${nodeVersion}, which is too old.`, `Install Node.js ${nodeMin.join('.')} or newer.`);
}

/** Checks what the system gives to a process of this environment. */
export async function checkMachine(settings: DoctorSettings, machine: Machine): Promise<readonly Finding[]> {
  return [checkNode(machine), checkThreads(settings), await checkOpenFiles(machine), checkMemory(settings, machine)];
}
