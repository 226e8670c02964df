const lookEveryMs = 250;
const stillMs = 1_000;
const latelyMs = 10_000;

export interface PauseDetector {
  /** Whether this process stood still until a moment ago: what it is given now may have waited for it. */
  pausedLately(): boolean;
}

/** Notices that this process was stopped, or its machine paused. */
export function detectPauses(now: () => number = Date.now): PauseDetector {
  let lookedAt = now();
  let wokeAt = -Infinity;
  const look = () => {
    const at = now();
    if (at - lookedAt > stillMs) wokeAt = at;
    lookedAt = at;
  };
  setInterval(look, lookEveryMs).unref();
  return {
    pausedLately() {
      look();
      return lookedAt - wokeAt < latelyMs;
    },
  };
}
