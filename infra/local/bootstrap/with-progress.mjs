const everyMs = 10_000;

/** Prints the progress of `work` every ten seconds until it ends; `describe` receives the seconds so far. */
export async function withProgress(say, describe, work) {
  const start = performance.now();
  const timer = setInterval(() => say(describe(Math.round((performance.now() - start) / 1000))), everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
