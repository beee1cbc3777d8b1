import { cutOff, headerOf, type ReadAnswer } from './answers.ts'
import { type Finding, judge } from './checks.ts'
import { concrete } from './concrete.ts'
import type { Ask, Principal } from './credentials.ts'
import type { Described } from './described.ts'
import { judgeLine } from './log-lines.ts'
import type { FuzzedOperation } from './operations.ts'
import type { FuzzedService } from './service.ts'
import { createWorld } from './world.ts'

/** A finding, and the request that led to it; null: the chunk as a whole did. */
export interface Found extends Finding {
  readonly at: number | null
  readonly sent: string
}

export interface Counts {
  requests: number
  readonly byCaller: Map<string, number>
  readonly byStatus: Map<string, number>
  /** `PUT /users/{id} 200` */
  readonly met: Set<string>
  valid: number
  validDone: number
  /** Answers of 503, which were announced. */
  unavailable: number
  logLines: number
  slowestMs: number
}

export function newCounts(): Counts {
  return {
    requests: 0,
    byCaller: new Map(),
    byStatus: new Map(),
    met: new Set(),
    valid: 0,
    validDone: 0,
    unavailable: 0,
    logLines: 0,
    slowestMs: 0,
  }
}

export interface ChunkOptions {
  readonly seed: number
  readonly operations: ReadonlyMap<string, FuzzedOperation>
  readonly counts: Counts
  readonly hangMs: number
  readonly lanes: number
}

/** Sends requests to a new service, and lists all that must not be. */
export async function runChunk(
  service: FuzzedService,
  requests: readonly Described[],
  { seed, operations, counts, hangMs, lanes }: ChunkOptions,
): Promise<Found[]> {
  const found: Found[] = []
  const byRequestId = new Map<string, number>()
  const ask = asking(service)
  const world = await createWorld(service, ask, seed)
  const sentTexts = new Map<number, string>()
  let next = 0

  const note = (finding: Finding, at: number | null) => {
    found.push({
      ...finding,
      at,
      sent: sentTexts.get(at ?? (requests.length === 1 ? 0 : -1)) ?? '',
    })
  }
  const readLog = () => {
    for (const line of service.takeLog()) {
      counts.logLines += 1
      const [, id = ''] = /"request_id":"([^"]*)"/.exec(line) ?? []
      for (const finding of judgeLine(line, world.canaries))
        note(finding, byRequestId.get(id) ?? null)
    }
  }

  async function lane(): Promise<void> {
    while (next < requests.length && service.ended() === null) {
      const at = next
      next += 1
      const described = requests[at]
      const operation = described && operations.get(described.operation)
      if (!described || !operation) continue
      await sendOne(described, operation, at)
    }
  }

  async function sendOne(described: Described, operation: FuzzedOperation, at: number) {
    const { request, principal, isInjected } = await concrete(described, operation, world, service)
    const startedAt = performance.now()
    const sent = await service.send(request, { twist: described.twist, isInjected, hangMs })
    counts.slowestMs = Math.max(counts.slowestMs, performance.now() - startedAt)
    sentTexts.set(at, shown(request, described.twist))
    if (sentTexts.size > 200) sentTexts.delete(sentTexts.keys().next().value ?? 0)
    counts.requests += 1
    add(counts.byCaller, described.caller)
    const isWrong = sent.fault !== null && service.ended() === null
    if (isWrong && !(await isOfEndedLogin(sent.fault ?? '', principal, ask))) {
      note({ kind: 'wire', text: sent.fault ?? '' }, at)
    }
    for (const text of sent.mistakes ?? []) note({ kind: 'document', text }, at)
    const { document } = service
    for (const answer of sent.answers) {
      const id = headerOf(answer, 'x-request-id')
      if (id !== undefined) byRequestId.set(id, at)
      const asked = { method: request.method, document, canaries: world.canaries }
      for (const finding of judge(answer, asked)) note(finding, at)
      count(answer, counts)
    }
    const own = sent.answers[sent.answers.length === 3 ? 1 : 0]
    if (own) {
      const isMatched = headerOf(own, 'x-matched-route')?.endsWith(` ${described.path}`) ?? true
      if (isMatched) await checkAccess(described, { operation, principal }, own, at)
      const text = request.body?.toString() ?? ''
      world.learn(described, { target: request.target, body: text, principal }, own)
      const isRight = isValid(described)
      const isRefused = isRight && unauthenticated.test(own.body)
      if (described.caller !== 'anonymous' && (isRefused || endsLogin(described, own))) {
        world.credentials.noteRefused(described.caller)
      }
      if (isRight) {
        counts.valid += 1
        if (own.status < 300) counts.validDone += 1
      }
    }
    readLog()
  }

  /** Checks which callers succeed, by the document and the groups of routes. */
  async function checkAccess(
    { caller, path }: Described,
    { operation, principal }: { operation: FuzzedOperation; principal: Principal | undefined },
    { status }: ReadAnswer,
    at: number,
  ): Promise<void> {
    if (status >= 300) return
    const isWrong =
      (caller === 'anonymous' && operation.schemes.length > 0) ||
      (caller !== 'ADMIN' && path.startsWith('/api/admin/')) ||
      (caller === 'USER' && path.startsWith('/api/editor/'))
    if (isWrong && !(await hasMoreRoles(caller, principal)))
      note({ kind: 'access', text: `${caller} got ${status} of ${operation.name}` }, at)
  }

  /** An ADMIN's request may have given the caller another role. */
  async function hasMoreRoles(caller: string, principal: Principal | undefined): Promise<boolean> {
    if (!principal) return false
    const headers = { authorization: world.keeper.basic }
    const answer = await ask('GET', `/api/admin/accounts/${principal.username}`, { headers })
    return answer.status === 200 && JSON.parse(answer.body).roles.some(isAbove(caller))
  }

  await Promise.all(Array.from({ length: lanes }, lane))
  if (service.ended() !== null) {
    note({ kind: 'process', text: service.ended() ?? '' }, Math.max(0, next - 1))
    return found
  }
  for (const finding of await world.check()) note(finding, null)
  readLog()
  for (const [table, text] of await service.tables()) {
    for (const secret of world.canaries.within(text, 'database')) {
      note({ kind: 'secret', text: `in the table ${table}: ${secret}` }, null)
    }
  }
  return found
}

function isValid({
  twist,
  changes,
  isEncoded,
  headers,
  body,
  method,
  operation,
}: Described): boolean {
  const isPlain =
    twist === 'plain' && changes.length === 0 && isEncoded && operation.startsWith(`${method} `)
  return (
    isPlain &&
    body?.text === undefined &&
    body?.bytes === undefined &&
    headers.every(([name]) => /^If-Match$|^Idempotency-Key$/.test(name))
  )
}

/** Of credentials that were right when they were made. */
const unauthenticated =
  /"(Authentication required|Invalid or expired token|Invalid token|No token provided)"|nrolment required|change required/

const cutOffByInject = 'response destroyed before completion'

/** The server breaks a long answer off where another request has ended the caller's login. */
async function isOfEndedLogin(
  fault: string,
  principal: Principal | undefined,
  ask: Ask,
): Promise<boolean> {
  if (!principal || !(fault === cutOff || fault.endsWith(cutOffByInject))) return false
  const byToken = { authorization: `Bearer ${principal.bearer}` }
  const bySession = { cookie: principal.cookie }
  return (
    (await ask('GET', '/api/me', { headers: byToken })).status === 401 ||
    (await ask('GET', '/api/session', { headers: bySession })).status === 401
  )
}

const ranks = ['USER', 'EDITOR', 'ADMIN']

function isAbove(caller: string): (role: string) => boolean {
  return (role) => ranks.indexOf(role) > ranks.indexOf(caller)
}

/** A logout, a new password: the caller has to log in again. */
function endsLogin({ method, path }: Described, { status }: ReadAnswer): boolean {
  if (status >= 300 || method === 'GET') return false
  return /^\/logout$|\/account\/(password|sessions)|\/tokens\/revoke$/.test(path)
}

function count(answer: ReadAnswer, counts: Counts): void {
  add(counts.byStatus, String(answer.status))
  if (answer.status === 503) counts.unavailable += 1
  const matched = headerOf(answer, 'x-matched-route')
  if (matched?.includes('/')) counts.met.add(`${matched} ${answer.status}`)
}

function add(map: Map<string, number>, name: string): void {
  map.set(name, (map.get(name) ?? 0) + 1)
}

const plainly = { twist: 'plain', isInjected: true, hangMs: 60_000 } as const

function asking(service: FuzzedService): Ask {
  let asked = 0
  return async (method, path, { headers = {}, json } = {}) => {
    asked += 1
    const body = json === undefined ? null : Buffer.from(JSON.stringify(json))
    const all: [string, string][] = [
      ['host', 'localhost'],
      ['connection', 'close'],
      ['x-forwarded-for', `198.19.${(asked >> 8) & 255}.${asked & 255}`],
      ...Object.entries(headers),
    ]
    if (body)
      all.push(['content-type', 'application/json'], ['content-length', String(body.length)])
    const { answers, fault } = await service.send(
      { method, target: path, headers: all, body },
      plainly,
    )
    const [answer] = answers
    if (!answer) throw new Error(`${method} ${path}: ${fault}`)
    return answer
  }
}

/** A request as a command of curl, or as bytes where curl would not send it. */
export function shown(
  {
    method,
    target,
    headers,
    body,
  }: {
    method: string
    target: string
    headers: readonly (readonly [string, string])[]
    body: Buffer | null
  },
  twist: string,
): string {
  const cut = (text: string) =>
    text.length > 1_500 ? `${text.slice(0, 1_500)}...(${text.length} characters)` : text
  if (twist !== 'plain') {
    return `bytes "${twist}": ${method} ${cut(target)} ${cut(JSON.stringify(headers))} ${cut(JSON.stringify(body?.toString('latin1') ?? ''))}`
  }
  const quoted = (text: string) =>
    `$'${JSON.stringify(text).slice(1, -1).replaceAll("'", "\\'").replaceAll('\\"', '"')}'`
  const fields = headers
    .filter(([name]) => !/^(host|connection|content-length)$/i.test(name))
    .map(([name, value]) => ` -H ${quoted(cut(`${name}: ${value}`))}`)
  const data = body === null ? '' : ` --data-binary ${quoted(cut(body.toString()))}`
  return `curl --path-as-is -X ${method}${fields.join('')}${data} ${quoted(cut(`http://127.0.0.1:3000${target}`))}`
}
