import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { cpuMsOf, readProcesses } from './process-figures.ts';

const useTime = 'for (;;) { const { user, system } = process.cpuUsage(); if (user + system > 100000) break; }';

const isLinux = process.platform === 'linux';
if (!isLinux) console.warn('Not run: the CPU time of processes. It is read from /proc, which Linux alone has.');

it.skipIf(!isLinux)('counts the CPU time of a child that has ended as its parent’s', async () => {
  // The shell says so when its child has ended and been waited for.
  const shell = spawn('sh', ['-c', '"$0" -e "$1"; echo ended; read end', process.execPath, useTime]);
  const exited = once(shell, 'exit');
  await once(shell.stdout, 'data');
  const table = await readProcesses();
  shell.stdin.end();
  await exited;
  // Each of two figures is rounded down to a hundredth of a second.
  expect(cpuMsOf(table, shell.pid ?? 0)).toBeGreaterThanOrEqual(80);
});

it('adds up a process and its descendants that run, and no other process', () => {
  const process = (parent: number, cpuMs: number) => ({ parent, zombie: false, cpuMs });
  const table = new Map([
    [1, process(0, 1_000)],
    [2, process(1, 10)],
    [3, process(2, 20)],
    [4, process(3, 40)],
    [5, process(1, 80)],
  ]);
  expect(cpuMsOf(table, 2)).toBe(70);
});
