import { globSync } from 'node:fs'
import { join } from 'node:path'
import type { RouteOptions } from 'fastify'
import type { Sinks } from '../src/core/events/events.ts'
import { type RouteRow, routeRows } from '../src/core/http/documents/route-table.ts'
import type { Role } from '../src/core/policy/principal.ts'
import type { Answer, Headers, TestApp } from './app.ts'
import { asClient } from './clients.ts'
import type { Caller, CommandExamples, Example, Examples, Made, World } from './example.ts'
import { enrol } from './factor.ts'

/** What `examples.ts` of a module exports. */
interface ExamplesOfModule {
  readonly examples?: Examples
  readonly commands?: CommandExamples
  /** The settings that its examples need. */
  readonly settings?: () => Readonly<Record<string, string>> | Promise<Record<string, string>>
}

const source = join(import.meta.dirname, '../src')

/** What all modules say that are there. */
export const modules: readonly ExamplesOfModule[] = await Promise.all(
  globSync('**/examples.ts', { cwd: source })
    .toSorted()
    .map((path): Promise<ExamplesOfModule> => import(join(source, path))),
)

const byName = new Map(
  modules.flatMap(({ examples = {} }) =>
    Object.entries(examples).map(([name, given]) => [name, [given].flat()] as const),
  ),
)

export const exampleNames: readonly string[] = modules.flatMap(({ examples = {} }) =>
  Object.keys(examples),
)

export const commandExamples: CommandExamples = Object.assign(
  {},
  ...modules.map(({ commands }) => commands),
)

/** The events that the examples record, which test/spec/changes.test.ts makes happen. */
export const exampleEvents: ReadonlySet<string> = new Set(
  modules.flatMap(({ examples = {}, commands = {} }) =>
    [...Object.values(examples).flat(), ...Object.values(commands)].flatMap(
      ({ events = [] }) => events,
    ),
  ),
)

/** The settings that all examples need, and many requests of one client. */
export async function exampleSettings(): Promise<Record<string, string>> {
  const own = await Promise.all(modules.map(({ settings }) => settings?.()))
  return Object.assign({ LOGIN_ATTEMPTS: '0', LOGIN_IP_ATTEMPTS: '0' }, ...own)
}

/** A route with its example. */
export interface ShownRoute extends RouteRow {
  /** `METHOD /path` */
  readonly name: string
  /** By which its example is found. */
  readonly key: string
  /** The name of its module. */
  readonly module: string
  /** The status of a success, by what the route declares. */
  readonly success: string
  readonly example: Example
  readonly all: readonly Example[]
}

/** All routes of a service; those without an example fail test/examples.test.ts, and no other test. */
export function shownRoutes(app: TestApp): readonly ShownRoute[] {
  return allRoutes(app).flatMap((route) => {
    const all = byName.get(route.key)
    const [example] = all ?? []
    return all && example ? [{ ...route, all, example }] : []
  })
}

export function allRoutes({ app }: TestApp): readonly Omit<ShownRoute, 'example' | 'all'>[] {
  const { declared } = app.server
  return declared.routes.flatMap((route) => {
    const { operationId } = (route.schema ?? {}) as NonNullable<RouteOptions['schema']>
    return routeRows({ ...declared, routes: [route] }).map((row) => {
      const name = `${row.method} ${row.url}`
      const statuses = Object.values(row.statuses).flatMap((one) => one.split('/'))
      const success = statuses.find((status) => !/^40[13]$/.test(status)) ?? ''
      const module = route.config?.module ?? 'core'
      return { ...row, name, key: operationId ?? name, module, success }
    })
  })
}

/** A caller without a proof. */
export const nobody: Caller = { who: { userId: 0, username: 'nobody', password: '' }, headers: {} }

/** Makes the world of an app. */
export async function worldOf(app: TestApp, sinks?: Sinks): Promise<World> {
  let made = 0
  const kept = new Map<unknown, Promise<unknown>>()
  const newName = () => `made-${++made}`
  return {
    app,
    admin: app.basic(app.admin),
    sinks,
    owner: await app.account('the-owner'),
    newName,
    newAddress: () => `${newName()}@example.org`,
    newAccount: (more) => app.account(newName(), ['USER'], more),
    once: <T>(make: (app: TestApp) => Promise<T>) =>
      kept.getOrInsertComputed(make, () => make(app)) as Promise<T>, // of this `make`
  }
}

export type Scheme = 'basic' | 'session' | 'bearer'

/** Makes an account that has logged in by a scheme, and has all roles unless some are named. */
export async function newCaller(
  { app, newName }: Pick<World, 'app' | 'newName'>,
  scheme: Scheme,
  hasFactor = false,
  roles: readonly Role[] = ['USER', 'EDITOR', 'ADMIN'],
): Promise<Caller> {
  const who = await app.account(newName(), roles)
  if (scheme === 'basic') return { who, headers: app.basic(who) }
  if (!hasFactor) return { who, headers: await app[scheme](who) }
  const session = await app.session(who)
  const device = await enrol(app, session)
  if (scheme === 'session') return { who, headers: session, device }
  const recovery_code = device.recoveryCodes.pop()
  const json = { username: who.username, password: who.password, mode: 'token', recovery_code }
  const { body } = await app.call('POST', '/login', { json })
  return { who, headers: { authorization: `Bearer ${body.token}` }, device }
}

/** The callers of an example: any caller by a scheme of the route, its own, or one without a proof. */
export async function sendersOf(world: World) {
  const anyone: Record<string, Caller> = {
    session: await newCaller(world, 'session'),
    bearer: await newCaller(world, 'bearer'),
    client: { ...nobody, headers: asClient('shop') },
  }
  return async ({ example, schemes }: ShownRoute): Promise<Caller> => {
    const { needs } = example
    if (needs === 'fresh' || needs === 'factor') {
      return newCaller(world, 'session', needs === 'factor')
    }
    const scheme = Object.keys(anyone).find((one) => schemes.split(',').includes(one))
    return anyone[scheme ?? ''] ?? nobody
  }
}

interface SentCall {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly body?: string
}

/** The request of a route: as it was made, by a caller. */
export function requestOf(
  route: Pick<ShownRoute, 'method' | 'url'>,
  made: Made,
  { headers }: Pick<Caller, 'headers'>,
): SentCall {
  const method = route.method === '*' ? 'GET' : route.method
  const path =
    made.path ??
    route.url
      .replace('/*', '/no/such')
      .replace(/:(\w+)/g, (name, key) => encodeURIComponent(made.params?.[key] ?? name))
  const csrf_token = headers['x-csrf-token']
  // The form of a page has the token of the session in a field.
  const isPage = made.form && csrf_token !== undefined && !('csrf_token' in made.form)
  const form = isPage ? { ...made.form, csrf_token } : made.form
  const [type, body] =
    made.json !== undefined
      ? ['application/json', JSON.stringify(made.json)]
      : form
        ? ['application/x-www-form-urlencoded', new URLSearchParams(form).toString()]
        : made.lines !== undefined
          ? ['application/x-ndjson', made.lines]
          : []
  return {
    method,
    path,
    headers: { ...(type !== undefined && { 'content-type': type }), ...headers, ...made.headers },
    ...(body !== undefined && { body }),
  }
}

/** The path of a route, about something that exists. */
export async function pathOf(world: World, route: ShownRoute, caller: Caller): Promise<string> {
  const made = route.url.includes('/:') ? await route.example.make?.(world, caller) : {}
  return requestOf(route, made ?? {}, caller).path
}

/** Sends a request of a route within the process. */
export function send(
  app: TestApp,
  route: ShownRoute,
  made: Made,
  caller: Pick<Caller, 'headers'>,
): Promise<Answer> {
  const { method, path, ...call } = requestOf(route, made, caller)
  return (made.app ?? app).call(method, path, call)
}
