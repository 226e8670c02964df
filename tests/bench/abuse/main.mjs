// Runs abusers in a process of its own, so that the time they take is not measured as that of other clients. The
// settings are in ABUSERS: a list of entries, each with the name of an abuser and the settings of that one.
import { setMaxListeners } from 'node:events';
import { drippingImports } from './dripping-imports.mjs';
import { endless } from './endless.mjs';
import { heldRows } from './held-rows.mjs';
import { hotRepository } from './hot-repository.mjs';
import { keyless } from './keyless.mjs';
import { repeat } from './repeat.mjs';
import { slowReaders } from './slow-readers.mjs';

const abusers = { drippingImports, endless, heldRows, hotRepository, keyless, repeat, slowReaders };

const stop = new AbortController();
// Each request listens to it.
setMaxListeners(0, stop.signal);
const counts = {};
const entries = JSON.parse(process.env.ABUSERS);
const running = entries.map(({ name, ...settings }) => {
  const count = (outcome) => {
    const counted = name === 'repeat' ? outcome : `${name}: ${outcome}`;
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
