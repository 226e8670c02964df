const everyMs = 10_000;

/**
 * Prints the progress of a step every ten seconds until it ends; `describe` receives the seconds so far. The step is a
 * measure of this process by its name, which `npm start -- --timings` lists.
 */
export async function withProgress(name, say, describe, work) {
  const start = performance.now();
  const timer = setInterval(() => say(describe(Math.round((performance.now() - start) / 1000))), everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    performance.measure(name, { start });
  }
}
