import type { ApiDocument } from '../../test/openapi/operations.ts'
import { answersOf } from '../../test/openapi/record.ts'
import type { Counts } from './chunk.ts'

export function figuresOf(
  counts: Counts,
  document: ApiDocument,
  seconds: number,
): [string, string][] {
  const documented = answersOf(document)
  const named = documented.filter((answer) => !answer.endsWith(' default'))
  const operations = new Set(documented.map((answer) => answer.replace(/ \w+$/, '')))
  const met = [...counts.met]
  const reached = new Set(met.map((answer) => answer.replace(/ \d+$/, '')))
  const done = new Set(
    met.filter((answer) => / 2\d\d$/.test(answer)).map((answer) => answer.replace(/ \d+$/, '')),
  )
  const within = (set: ReadonlySet<string>) => [...operations].filter((one) => set.has(one)).length
  const total = sum(counts.byStatus)
  const ok = sum(counts.byStatus, /^2/)
  return [
    ['requests', count(counts.requests)],
    [
      'of them by',
      [...counts.byCaller]
        .sort()
        .map(([name, times]) => `${name} ${count(times)}`)
        .join(', '),
    ],
    ['answers', count(total)],
    ['of them 2xx', share(ok, total)],
    ['2xx of the requests that are as the document says', share(counts.validDone, counts.valid)],
    ['operations met', `${within(reached)} of ${operations.size}`],
    ['operations met with 2xx', `${within(done)} of ${operations.size}`],
    [
      'documented statuses met',
      `${named.filter((one) => counts.met.has(one)).length} of ${named.length}`,
    ],
    [
      'answers by status',
      [...counts.byStatus]
        .sort()
        .map(([status, times]) => `${status} ${count(times)}`)
        .join(', '),
    ],
    ['announced 503', count(counts.unavailable)],
    ['lines of the log', count(counts.logLines)],
    ['slowest answer', `${counts.slowestMs.toFixed(0)} ms`],
    ['duration', `${seconds.toFixed(0)} s`],
  ]
}

/** Documented answers that no request has met. */
export function unmetOf(counts: Counts, document: ApiDocument): string[] {
  return answersOf(document).filter((one) => !one.endsWith(' default') && !counts.met.has(one))
}

function sum(map: ReadonlyMap<string, number>, format = /^/): number {
  return [...map].reduce((all, [name, times]) => all + (format.test(name) ? times : 0), 0)
}

function share(part: number, whole: number): string {
  return `${count(part)} (${((100 * part) / Math.max(1, whole)).toFixed(1)} %)`
}

function count(number: number): string {
  return number.toLocaleString('en-US')
}
