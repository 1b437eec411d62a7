// Plays the watch fault cases beside the checkout with their own grader and adds them up in one line. A case that is not right fails.
//
//   node .ci/cases.mjs CASES_DIR KWATCH_JS WORK_DIR
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [cases, kwatch, work] = process.argv.slice(2);
const given = join(cases, 'given');
const ids = readdirSync(given)
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(join(given, name), 'utf8')).id);

const results = join(work, 'cases.json');
const { status } = spawnSync(
  process.execPath,
  [
    join(cases, 'grade.mjs'),
    '--only',
    ids.join(','),
    '--bin',
    `${process.execPath} ${kwatch}`,
    '--jobs',
    '2',
    '--retry',
    '--json',
    results,
  ],
  { stdio: 'inherit' },
);
if (status === 2 || status === null) process.exit(2);
const graded = JSON.parse(readFileSync(results, 'utf8'));
const list = graded.results;
const passed = list.filter(({ classRight, marks }) => classRight && marks >= 80).length;
console.log(`${passed} passed, ${ids.length - passed} failed`);
process.exit(passed === ids.length ? 0 : 1);
