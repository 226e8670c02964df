/** What is done again and again. */
export interface Actor {
  act(): Promise<void>;
}

export interface Acting {
  /** Ends after what is being done. */
  stop(): Promise<void>;
}

/** Has the actors act in turn, until they are told to stop. */
export function startActing(actors: readonly Actor[]): Acting {
  const stopping = new AbortController();
  const actOn = async () => {
    for (let turn = 0; !stopping.signal.aborted; turn += 1) await actors[turn % actors.length]?.act();
  };
  const acting = actOn();
  return {
    async stop() {
      stopping.abort();
      await acting;
    },
  };
}
