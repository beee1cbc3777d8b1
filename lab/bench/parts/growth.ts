import { directoryWith } from '../filled.ts'
import { loadOf } from '../load.ts'
import { type Comparison, type Figure, type Line, median } from '../report/figure.ts'
import { open, readText, type Service, service } from '../service.ts'
import { type Contender, type Plan, takeTurns } from '../turns.ts'
import { bare, bareName } from './reads.ts'

const sizes = [1_000, 100_000, 1_000_000]
const pageSize = 20
const connections = 4

const about = `Processor time of the service for a page of 20 users by the number of users on SQLite: the first page, and the page
behind 90 % of the users: by number, and by cursor in the order of id and of name (v2); and of posts, of which there are as
many, the page at 90 % by number. Four connections read one page after the other. It is the time of the whole request: HTTP, the
credential, the statements and the JSON. A page by number is reached by skipping ids in an index, from the nearer end
of the list.`

const kinds: Readonly<Record<string, (service: Service, size: number) => Promise<string>>> = {
  'first page': async () => `/users?page=1&limit=${pageSize}`,
  'page at 90 % by number': async (_service, size) =>
    `/users?page=${(size * 0.9) / pageSize}&limit=${pageSize}`,
  'page at 90 % by number, by name': async (_service, size) =>
    `/api/v2/users?sort=name&page=${(size * 0.9) / pageSize}&limit=${pageSize}`,
  'posts, page at 90 % by number': async (_service, size) =>
    `/api/posts?page=${(size * 0.9) / pageSize}&limit=${pageSize}`,
  'cursor behind 90 %, by id': (target, size) => cursorAt(target, 'id', size * 0.9),
  'cursor behind 90 %, by name': (target, size) => cursorAt(target, 'name', size * 0.9),
}

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
  const [first] = services
  if (first === undefined) throw new Error('no service')
  const server = await bare(first, '/api/me', first.bearer, false)
  const own = { connections, requests: [{ path: '/api/me', headers: first.bearer }] }
  const short = { ...plan, seconds: plan.seconds / 2 }
  const all = [...contenders, loadOf(bareName, server, own, true)]
  const { samples, about: taken } = await takeTurns(short, all, bareName)
  for (const each of [...services, server]) await each.stop()

  const ms = (kind: string, size: number) =>
    (samples.get(nameOf(kind, size)) ?? []).map(
      ({ microseconds = Number.NaN }) => microseconds / 1000,
    )
  const ratio = (kind: string, size: number, to: string, toSize: number): number[] => {
    const divisors = ms(to, toSize)
    return ms(kind, size).map((value, index) => value / (divisors[index] ?? Number.NaN))
  }
  const [few = 0, many = 0] = [sizes[0], sizes.at(-1)]
  const firstPage = 'first page'
  const comparisons: Readonly<Record<string, readonly Comparison[]>> = {
    [nameOf(firstPage, many)]: [
      { to: nameOf(firstPage, few), values: ratio(firstPage, many, firstPage, few), atMost: 1.5 },
    ],
    ...Object.fromEntries(
      Object.keys(kinds)
        .filter((kind) => kind !== firstPage)
        .map((kind) => [
          nameOf(kind, many),
          [
            {
              to: nameOf(firstPage, many),
              values: ratio(kind, many, firstPage, many),
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
      yTitle: 'ms of processor time',
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

async function cursorAt({ url, bearer }: Service, sort: string, depth: number): Promise<string> {
  const path = `/api/v2/users?sort=${sort}&limit=${pageSize}`
  const page = await readText(await open(`${url}${path}&page=${depth / pageSize}`, bearer))
  const { next } = JSON.parse(page)
  if (typeof next !== 'string') throw new Error(`no cursor at ${depth}`)
  return `${path}&cursor=${next}`
}
