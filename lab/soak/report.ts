import { goal, print } from '../growth/table.ts'
import {
  type Allowance,
  judgeLives,
  judgeRate,
  judgeSlope,
  line,
  shown,
  type Verdict,
  warm,
} from './judge.ts'
import {
  costSeries,
  type Measures,
  processSeries,
  rowSeries,
  type Series,
  storageSeries,
} from './measures.ts'
import { restarted } from './side.ts'
import { slopeOf } from './slope.ts'
import { keptRows } from './tables.ts'
import type { Failure } from './traffic.ts'

export interface Reported {
  readonly name: string
  readonly measures: Measures
  readonly failures: readonly Failure[]
  readonly faults: readonly string[]
  /** Of the log of the service, from `error` on. */
  readonly errors: readonly string[]
}

/** The caches of the service fill, and rows reach their number, in this share of the run. */
const warmUp = 0.2
/** Of the life of a process. */
const memoryWarmUp = 0.4
const allowances = {
  memory: { share: 0.1, least: 8 },
  descriptors: { share: 0.1, least: 5 },
  cost: { share: 0.3, least: 0.5 },
  rows: { share: 0.1, least: 20 },
} as const satisfies Record<string, Allowance>

/** Prints the table of a run and its errors, and counts goals that are missed. */
export function report({ name, measures, failures, faults, errors }: Reported): void {
  const { samples } = measures
  const requests = samples.at(-1)?.requests ?? 0
  print(`\n${name}: ${requests} requests, ${samples.length} samples`)
  print(line('', ['start', 'end', 'slope per hour'], ''))
  const verdicts: Verdict[] = []
  const show = (name: string, points: Series['points'], allowance?: Allowance): Verdict => {
    const slope = slopeOf(points)
    const verdict = allowance ? judgeSlope(slope, allowance) : { text: 'not judged', isGood: true }
    const change = `${slope.perHour < 0 ? '' : '+'}${shown(slope.perHour)} ± ${shown(slope.noise)}`
    print(line(name, [shown(slope.start), shown(slope.end), change], verdict.text))
    return verdict
  }
  const memory = processSeries(samples, 'residentMb')
  for (const lives of Map.groupBy(memory, ({ name }) => name.replace(restarted, '')).values()) {
    const judged = lives.map(({ name, points }) =>
      show(`memory of ${name}, MB`, warm(points, memoryWarmUp), allowances.memory),
    )
    verdicts.push(judgeLives(judged))
  }
  showRestarted(memory)
  for (const { name, points } of processSeries(samples, 'descriptors')) {
    verdicts.push(
      show(`descriptors of ${name}`, warm(points, memoryWarmUp), allowances.descriptors),
    )
  }
  for (const [{ name, points }, allowance] of [
    [costSeries(samples), allowances.cost],
    [storageSeries(samples), { share: 0.1, least: samples[0]?.storage.least ?? 0 }],
  ] as const) {
    verdicts.push(show(name, warm(points, warmUp), allowance))
  }
  const tables = rowSeries(samples).filter(({ name }) => !keptRows.has(name))
  const moving = tables.filter(({ points }) => isMoving(warm(points, warmUp)))
  for (const { name, points } of moving) {
    verdicts.push(show(`rows of ${name}`, warm(points, warmUp), allowances.rows))
  }
  print(`  ${tables.length - moving.length} other tables have a constant number of rows`)
  verdicts.push(...showRates(samples))
  print(line('latency, ms', ['start', 'end', 'slope per hour'], ''))
  for (const { name, points } of measures.latencies()) show(name, warm(points, warmUp))
  showErrors(failures, faults, errors)
  goal('measures that grow', verdicts.filter(({ isGood }) => !isGood).length, 0)
}

/** A restart begins with less memory: the ends of both lives are compared, not the step. */
function showRestarted(memory: readonly Series[]): void {
  for (const { name, points } of memory) {
    const before = memory.find((each) => name === `${each.name}${restarted}`)
    if (!before) continue
    const share = (slopeOf(points).end / slopeOf(before.points).end) * 100
    print(line(`memory of ${name}`, [], `in the end ${share.toFixed(0)} % of the end before`))
  }
}

/** Tables that must grow, by the rows that requests add. */
function showRates(samples: Measures['samples']): Verdict[] {
  const measured = samples.slice(Math.floor(samples.length * warmUp))
  const tables = [...keptRows].filter(([table]) => samples.at(-1)?.rows.has(table))
  print(line('rows that 1,000 requests add', ['1st half', '2nd half', ''], ''))
  return tables.map(([table, kept]) => {
    const { first, second, verdict } = judgeRate(measured, table)
    print(line(`rows of ${table}`, [shown(first), shown(second), verdict.text], `kept ${kept}`))
    return verdict
  })
}

function isMoving(points: Series['points']): boolean {
  return points.some(({ value }) => value !== points[0]?.value)
}

function showErrors(
  failures: readonly Failure[],
  faults: readonly string[],
  errors: readonly string[],
): void {
  const planned = failures.filter(({ isPlanned }) => isPlanned)
  print(`  ${planned.length} requests failed during the restart of the only node`)
  const others = failures.filter(({ isPlanned }) => !isPlanned)
  for (const [what, all] of Map.groupBy(others, ({ what, status }) => `${what}: ${status}`)) {
    print(`    ${all.length} x ${what} ${all[0]?.detail} (first at ${all[0]?.at})`)
  }
  for (const each of [...faults.slice(0, 20), ...errors.slice(0, 20)]) print(`    ${each}`)
  goal('requests that failed otherwise', others.length, 0)
  goal('other faults', faults.length, 0)
  goal('lines of the log at error', errors.length, 0)
}
