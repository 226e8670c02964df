const lookEveryMs = 250;
const stillMs = 1_000;
const latelyMs = 10_000;

export interface PauseDetector {
  /**
   * Returns whether this process was paused until a moment ago: a command that arrives now may have waited that long.
   */
  pausedLately(): boolean;
}

/** Detects that this process was stopped (SIGSTOP), or its machine suspended, by gaps between the ticks of a timer. */
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
