// Runs abusers in a process of its own, so that the time they take is not measured as that of other clients. The
// settings are in ABUSERS: a list of entries, each with the name of an abuser and the settings of that one.
import { keyless } from './keyless.mjs';

const abusers = { keyless };

const stop = new AbortController();
const counts = {};
const entries = JSON.parse(process.env.ABUSERS);
const running = entries.map(({ name, ...settings }) => {
  const count = (outcome) => {
    const counted = `${name} ${outcome}`;
    counts[counted] = (counts[counted] ?? 0) + 1;
  };
  return abusers[name](settings, stop.signal, count);
});

process.on('disconnect', () => process.exit(0));
process.on('message', () => {
  stop.abort();
  void Promise.all(running).then(() => process.send({ counts }, () => process.disconnect()));
});
process.send({ ready: true });
