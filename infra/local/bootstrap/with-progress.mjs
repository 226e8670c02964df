const everyMs = 10_000;

/** Says every ten seconds how far `work` is, as long as it lasts; `describe` gets the seconds so far. */
export async function withProgress(say, describe, work) {
  const start = performance.now();
  const timer = setInterval(() => say(describe(Math.round((performance.now() - start) / 1000))), everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
