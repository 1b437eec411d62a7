// What the client says of 410s, ends and refusals, against what the servers did, in 2,000 drawn runs on a virtual clock.
import fc from 'fast-check';
import { ConfusionMatrix } from '../test/simulation/confusion-matrix.ts';
import { play } from '../test/simulation/play.ts';
import { scenario } from '../test/simulation/scenario.ts';
import { judge, last, wrongHigh } from '../test/simulation/truth.ts';

/** `SIMULATION_RUNS`, `SIMULATION_SEED`: other runs than the documented ones. */
const RUNS = Number(process.env.SIMULATION_RUNS ?? 2_000);
const SEED = Number(process.env.SIMULATION_SEED ?? 410);

/** Prints the confusion matrix: each true class, and under it what was told with which confidence. */
export async function run(): Promise<void> {
  const matrix = new ConfusionMatrix();
  const started = performance.now();
  let everWrongHigh = 0;
  for (const [index, drawn] of fc.sample(fc.noBias(scenario), { numRuns: RUNS, seed: SEED }).entries()) {
    const judged = judge(await play(drawn));
    for (const { finding, truth } of judged.filter(wrongHigh)) {
      everWrongHigh += 1;
      console.log(`run ${index}: ${finding.key} told as ${finding.class} with high, the truth is ${truth}`);
    }
    for (const one of last(judged)) matrix.add(one);
  }
  const { all, decided, decidedRight, open, undecided, undecidedNamed } = matrix.counts;
  console.log(matrix.lines().join('\n'));
  console.log(
    `${RUNS} runs, seed ${SEED}, ${Math.round((performance.now() - started) / RUNS)} ms each: ${all} findings`,
  );
  console.log(`wrong with high, in any revision: ${everWrongHigh}`);
  console.log(
    `decided: ${decided}, right ${percent(decidedRight, decided)} (${open} of them rebuilds with their reason left open)`,
  );
  console.log(`not decided: ${undecided}, the truth among the candidates ${percent(undecidedNamed, undecided)}`);
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`;
}
