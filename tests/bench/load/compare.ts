import { loadSeconds, roundCount, seed } from '../bench-form.ts';
import { openLoad, type LoadFigures } from './open-load.ts';
import { apiRequest, type SampleFactory } from './bench-request.ts';
import { measure, type Measured, type Pids } from './measure.ts';

/** A service under load, or a floor: where it listens, and its processes. */
export interface Target {
  readonly baseUrl: string;
  readonly pids: Pids;
}

export interface Targets {
  readonly service: Target;
  /** A bare gateway and worker on the same bus and database. */
  readonly echo: Target;
}

/** What one round measures, in immediate succession. */
export interface Round {
  readonly ours: Measured;
  /** A bare Hono, NATS and one prepared select, with answers of the same size. */
  readonly echo: Measured;
  /** A bare Hono that answers by itself. */
  readonly http: Measured;
}

export interface Comparison {
  readonly rounds: readonly Round[];
  /** Refusals by the service, with those of the warm-up: each text and how often. */
  readonly refusals: readonly (readonly [string, number])[];
}

/** Creates samples of requests to the floor, whose answers have as many bytes as those of `figures` on average. */
export function echoSamples(path: string, figures: LoadFigures): SampleFactory {
  const bytes = Math.round(figures.bytes / figures.served);
  return (random) => () => ({ ...apiRequest('echo', '', 'echo', { bytes, nonce: random.below(2 ** 31) }), path });
}

/** Measures the service and both floors in turn, as often as the form says, after a warm-up that is not counted. */
export async function compare(
  targets: Targets,
  createSample: SampleFactory,
  seconds = loadSeconds,
): Promise<Comparison> {
  const { service, echo } = targets;
  const ours = openLoad([service.baseUrl], seed, createSample);
  const warm = await ours.run(seconds);
  const bus = openLoad([echo.baseUrl], seed, echoSamples('/echo', warm));
  const http = openLoad([echo.baseUrl], seed, echoSamples('/http', warm));
  await bus.run(seconds);
  await http.run(seconds);
  const rounds: Round[] = [];
  for (let round = 0; round < roundCount; round += 1) {
    // Which comes first changes from round to round, so that what grows or cools down favours neither.
    const first = round % 2 === 0 ? null : await measure(bus, seconds, echo.pids);
    const figures = await measure(ours, seconds, service.pids);
    rounds.push({
      ours: figures,
      echo: first ?? (await measure(bus, seconds, echo.pids)),
      http: await measure(http, seconds / 2, echo.pids),
    });
  }
  for (const load of [ours, bus, http]) load.close();
  return { rounds, refusals: [warm, ...rounds.map((round) => round.ours)].flatMap(({ refusals }) => [...refusals]) };
}
