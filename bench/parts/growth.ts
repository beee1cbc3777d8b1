import { loadOf } from '../load.ts'
import { type Comparison, type Figure, type Line, median } from '../report/figure.ts'
import { open, readText, type Service, service } from '../service.ts'
import { type Contender, type Plan, takeTurns } from '../turns.ts'
import { directoryWith } from './stream.ts'

const sizes = [1_000, 10_000, 100_000, 1_000_000]
const pageSize = 20
/** A caller who waits for each page before the next. */
const connections = 1

const about = `Time of a page of 20 users by the number of users on SQLite: the first page, and the page behind 90 % of
the users: by number, and by cursor in the order of id and of name (v2). One
connection reads one page after the other; the time is the mean of a turn, with the way through HTTP. A page by number must pass
all rows before it.`

/** The kinds of pages, and how their path is found. */
const kinds: Readonly<Record<string, (service: Service, size: number) => Promise<string>>> = {
  'first page': async () => `/users?page=1&limit=${pageSize}`,
  'page at 90 % by number': async (_service, size) =>
    `/users?page=${(size * 0.9) / pageSize}&limit=${pageSize}`,
  'cursor behind 90 %, by id': (target, size) => cursorAt(target, 'id', size * 0.9),
  'cursor behind 90 %, by name': (target, size) => cursorAt(target, 'name', size * 0.9),
}

/** Growth curves of pages. */
export async function growth(plan: Plan): Promise<Figure> {
  const services: Service[] = []
  const contenders: Contender[] = []
  for (const size of sizes) {
    const target = await service(plan.nodeOptions, await directoryWith(size), {
      DATABASE_TIMEOUT_MS: '10000',
    })
    services.push(target)
    for (const [kind, pathOf] of Object.entries(kinds)) {
      const requests = [{ path: await pathOf(target, size), headers: target.bearer }]
      contenders.push(loadOf(nameOf(kind, size), target, { connections, requests }))
    }
  }
  const short = { ...plan, seconds: plan.seconds / 2 }
  const { samples, about: taken } = await takeTurns(short, contenders, nameOf('first page', 1000))
  for (const target of services) await target.stop()

  const ms = (kind: string, size: number) =>
    (samples.get(nameOf(kind, size)) ?? []).map(({ rate }) => 1000 / rate)
  const ratio = (kind: string, size: number, to: string, toSize: number): number[] => {
    const divisors = ms(to, toSize)
    return ms(kind, size).map((value, index) => value / (divisors[index] ?? Number.NaN))
  }
  const [few = 0, many = 0] = [sizes[0], sizes.at(-1)]
  const first = 'first page'
  const comparisons: Readonly<Record<string, readonly Comparison[]>> = {
    [nameOf(first, many)]: [
      { to: nameOf(first, few), values: ratio(first, many, first, few), atMost: 1.5 },
    ],
    ...Object.fromEntries(
      Object.keys(kinds)
        .filter((kind) => kind !== first)
        .map((kind) => [
          nameOf(kind, many),
          [
            {
              to: nameOf(first, many),
              values: ratio(kind, many, first, many),
              atMost: kind.startsWith('cursor') ? 2 : 30,
            },
          ],
        ]),
    ),
  }
  const lines: Line[] = Object.keys(kinds).flatMap((kind) =>
    sizes.map((size) => {
      const what = nameOf(kind, size)
      const own = comparisons[what]
      return { what, values: ms(kind, size), ...(own ? { comparisons: own } : {}) }
    }),
  )
  return {
    name: 'growth',
    title: 'Pages by the number of users',
    about,
    unit: 'ms',
    lines,
    curves: {
      xTitle: 'users',
      yTitle: 'ms a page',
      x: sizes,
      series: Object.keys(kinds).map((kind) => ({
        name: kind,
        y: sizes.map((size) => median(ms(kind, size))),
      })),
    },
    ...taken,
  }
}

function nameOf(kind: string, size: number): string {
  return `${kind}, ${size.toLocaleString('en-US')} users`
}

/** The path of the page behind the first `depth` users. */
async function cursorAt({ url, bearer }: Service, sort: string, depth: number): Promise<string> {
  const path = `/api/v2/users?sort=${sort}&limit=${pageSize}`
  const page = await readText(await open(`${url}${path}&page=${depth / pageSize}`, bearer))
  const { next } = JSON.parse(page)
  if (typeof next !== 'string') throw new Error(`no cursor at ${depth}`)
  return `${path}&cursor=${next}`
}
