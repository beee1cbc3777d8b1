import assert from 'node:assert/strict'
import { digest } from '../src/core/crypto/digest.ts'
import { canonicalUsername } from '../src/core/lib/username.ts'
import { loadKeySet } from '../src/modules/keys/key-set.ts'
import { createThrottleKeys } from '../src/modules/throttle/keys.ts'
import type { Answer, Call, TestApp } from './app.ts'
import { assertRefusal } from './refusal.ts'

export interface Credentials {
  readonly username: string
  readonly password: string
}

/** Settings for tests of the throttle itself: the other limits of a login are off. */
export const throttleAlone = { LOGIN_IP_ATTEMPTS: '0', LOGIN_LOCK_AFTER: '0' }

const digestLength = digest('').length

type Door = (app: TestApp, who: Credentials, call?: Call) => Promise<Answer>

const basicAt =
  (path: string): Door =>
  (app, { username, password }, call = {}) => {
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    return app.call('GET', path, { ...call, headers: { ...call.headers, authorization } })
  }

/** All ways to send a username and a password. */
export const doors = {
  'form, session': (app, { username, password }, call?) =>
    app.call('POST', '/login', { ...call, form: { username, password, mode: 'session' } }),
  'form, token': (app, { username, password }, call?) =>
    app.call('POST', '/login', { ...call, form: { username, password, mode: 'token' } }),
  JSON: (app, { username, password }, call?) =>
    app.call('POST', '/login', { ...call, json: { username, password } }),
  'JSON, pair': (app, { username, password }, call?) =>
    app.call('POST', '/login', { ...call, json: { username, password, mode: 'pair' } }),
  Basic: basicAt('/users'),
  'Basic, v1': basicAt('/api/v1/users'),
  'Basic, v2': basicAt('/api/v2/users'),
} satisfies Record<string, Door>

export const everyDoor: readonly (readonly [string, Door])[] = Object.entries(doors)

/** Repeats an attempt `times` times, one after another; answers the statuses. */
export async function tryTimes(times: number, attempt: () => Promise<Answer>): Promise<number[]> {
  const statuses: number[] = []
  for (let done = 0; done < times; done += 1) statuses.push((await attempt()).status)
  return statuses
}

/** Counts the statuses. */
export function tally(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** The comparable parts of an answer: all but the values that always differ. */
export function visible({ status, text, headers }: Answer): object {
  return { status, text, headers: Object.keys(headers).sort() }
}

/** The attempts in the rate limit of username and address at one address, the oldest first. */
export function placesOf(app: TestApp, address: string) {
  return app.deps.db
    .selectFrom('throttle_places')
    .select(['id', 'username', 'taken_at', 'pending'])
    .where('address', '=', address)
    .where((eb) => eb(eb.fn<number>('length', ['username']), '=', digestLength))
    .orderBy('id')
    .execute()
}

/** Inserts pending attempts, as another process would. */
export async function takePlaces(
  app: TestApp,
  count: number,
  { username, address, pending = 1 }: { username: string; address: string; pending?: 0 | 1 },
): Promise<void> {
  const name = canonicalUsername(username)
  assert.ok(name)
  const key = createThrottleKeys(await loadKeySet(app.deps)).named(name, address).login
  const taken_at = app.clock.now()
  const place = { ...key, taken_at, pending, expires_at: taken_at + 900_000 }
  await app.deps.db.insertInto('throttle_places').values(Array(count).fill(place)).execute()
}

/** How many events of a name the log tells of: one by one, and by the counts of floods. */
export function eventsNamed({ log, deps }: TestApp, event: string): number {
  deps.events.emitCounts('atOnce')
  const counts = log.filter((line) => line.event === event).map(({ count }) => Number(count ?? 1))
  return counts.reduce((sum, count) => sum + count, 0)
}

let hosts = 0

/** A new address, so that its attempts are counted apart from those of other tests. */
export function newHost(): string {
  hosts += 1
  return `198.51.${hosts >> 8}.${hosts & 0xff}`
}

/** An attempt with a wrong password. */
export function guess(app: TestApp, { username }: { username: string }, from: string) {
  return doors.JSON(app, { username, password: 'not the password' }, { from })
}

export function assertBlocked(answer: Answer, retryAfter: string): void {
  assertRefusal(answer, 429, 'Too many login attempts')
  assert.equal(answer.headers['retry-after'], retryAfter)
}
