import { differ, issuers } from '../../growth/account-kinds.ts'
import { seed } from '../../growth/seed.ts'
import {
  type DatabaseName,
  databases,
  emptyStore,
  removeCluster,
  type Store,
} from '../../growth/store.ts'
import { type Figure, type Line, median } from '../report/figure.ts'
import { open, readText, type Service, service } from '../service.ts'
import { type Plan, takeOnce } from '../turns.ts'

const many = 1_000_000
const repetitions = 20
const maxMs = 50

const about = `Time of a page of 50 accounts of GET /api/admin/accounts, of 1,000,000, from the request to the last byte of its answer, by one
connection that sends one after the other: median, and slowest of ${repetitions}. The filters have many accounts, a part of them, few or none;
those that exclude each other end the page early, after 25 ms of statements, and the next page goes on. The first request of each kind is left out.`

const middle = Buffer.from(JSON.stringify(['after', 'name', 'user 5', 1])).toString('base64url')

const queries: Readonly<Record<string, string>> = {
  'all, by username': 'sort=username',
  'all, by the last login, the latest first': 'sort=-last_login_at',
  'all, by name, in the middle': `sort=name&cursor=${middle}`,
  'locked (1,000), by name': 'state=locked&sort=name',
  'with a provider that few have (1,400), by username': `provider=${issuers.few}&sort=username`,
  'role EDITOR (10,000), by name': 'role=EDITOR&sort=name',
  'must change the password (5,000), by the last login': 'state=must_change&sort=-last_login_at',
  'second factor (a half), by the time of creation': 'second_factor=true&sort=-created_at',
  'never logged in (a fifth), by name': 'last_login=never&sort=name',
  'search of a part that all have': 'search=example.org&sort=username',
  'search of one character': 'search=u&sort=name',
  'search of a part that few have': 'search=user12345&sort=username',
  'search of an address that one has': 'search=user999999@exa&sort=-last_login_at',
  'search of what none has': 'search=zzzzzz&sort=username',
  'search, role, state and factor':
    'search=user1&role=USER&state=active&second_factor=true&sort=name',
  'filters that exclude each other': `second_factor=true&provider=${issuers.many}&sort=name`,
}

export async function accounts(plan: Plan): Promise<Figure> {
  const filled = await Promise.all(databases.map((name) => fill(plan, name)))
  const { result: lines, about: taken } = await takeOnce(plan, async () => {
    const measured: Line[] = []
    for (const one of filled) measured.push(...(await measureOn(one)))
    return measured
  })
  for (const { target, store } of filled) {
    await target.stop()
    await store.close()
  }
  await removeCluster()
  return { name: 'accounts', title: 'Accounts by filters', about, unit: 'ms', lines, ...taken }
}

interface Filled {
  readonly store: Store
  readonly target: Service
}

async function fill(plan: Plan, name: DatabaseName): Promise<Filled> {
  const store = await emptyStore(name)
  const settings = { ...store.settings, DATABASE_TIMEOUT_MS: '10000' }
  await (await service(plan.nodeOptions, store.directory, settings)).stop()
  await seed(store, many)
  await differ(store)
  return { store, target: await service(plan.nodeOptions, store.directory, settings) }
}

async function measureOn({ store, target }: Filled): Promise<Line[]> {
  const lines: Line[] = []
  for (const [what, query] of Object.entries(queries)) {
    const taken = (await timesOf(target, query)).toSorted((one, other) => one - other)
    const name = `${store.name}: ${what}`
    lines.push(judged(name, median(taken)), {
      what: `${name}, slowest`,
      values: [taken.at(-1) ?? Number.NaN],
    })
  }
  return lines
}

async function timesOf({ url, bearer }: Service, query: string): Promise<number[]> {
  const taken: number[] = []
  for (let sent = 0; sent <= repetitions; sent += 1) {
    const startedAt = performance.now()
    await readText(await open(`${url}/api/admin/accounts?${query}&limit=50`, bearer))
    if (sent > 0) taken.push(performance.now() - startedAt)
  }
  return taken
}

function judged(what: string, value: number): Line {
  return { what, values: [value], comparisons: [{ to: 'itself', values: [value], atMost: maxMs }] }
}
