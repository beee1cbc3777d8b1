import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { callerOf, type Reply } from '../test/faults/http.ts'
import { startService } from './service.ts'

/** The durations of requests, in milliseconds. */
interface Traffic {
  readonly reads: number[]
  readonly logins: number[]
}

export interface Beside {
  readonly seconds: readonly number[]
  readonly quiet: Traffic
  readonly during: Traffic
}

const readEveryMs = 5
const loginEveryMs = 200
const quietMs = 5000
const password = 'a pass phrase for proofs, 1887'

/**
 * Sends reads and logins at fixed times to a service whose database is filled, by turns while it makes a
 * backup by itself and while it does not: whatever else the machine does meets both.
 */
export async function besideTraffic(
  dataDirectory: string,
  settings: Record<string, string>,
  rounds: number,
): Promise<Beside> {
  const limits = { LOGIN_IP_ATTEMPTS: '0', LOGIN_ATTEMPTS: '0', ADMIN_PASSWORD: password }
  const env = { ...settings, ...limits, NODE_ENV: 'test' }
  const service = await startService([process.execPath, 'src/main.ts'], env, dataDirectory)
  const caller = callerOf(service.url)
  const logIn = () =>
    caller.call('POST', '/login', { json: { username: 'admin', password, mode: 'token' } })
  const { body } = await logIn()
  const headers = { authorization: `Bearer ${body.token ?? body.access_token}` }
  const runs = async () =>
    (await caller.call('GET', '/api/admin/backups?limit=1', { headers })).body.data[0]
  const quiet: Traffic = { reads: [], logins: [] }
  const during: Traffic = { reads: [], logins: [] }
  let into: Traffic | undefined
  let isDone = false

  /** At fixed times, whether the last one was answered or not: a slow answer delays no other request. */
  async function send(everyMs: number, kind: keyof Traffic, request: () => Promise<Reply>) {
    const sent: Promise<unknown>[] = []
    const startedAt = performance.now()
    for (let index = 0; !isDone; index += 1) {
      const at = startedAt + index * everyMs
      await setTimeout(Math.max(0, at - performance.now()))
      const target = into
      sent.push(
        request().then(({ status, fault }) => {
          assert.equal(status, 200, fault)
          target?.[kind].push(performance.now() - at)
        }),
      )
    }
    await Promise.all(sent)
  }

  const traffic = Promise.all([
    send(readEveryMs, 'reads', () => caller.call('GET', '/users?limit=20', { headers })),
    send(loginEveryMs, 'logins', logIn),
  ])
  const seconds: number[] = []
  try {
    await until(async () => (await runs())?.state === 'done') // that of the first start
    for (let round = 0; round < rounds; round += 1) {
      into = quiet
      await setTimeout(quietMs)
      into = undefined
      const asked = await caller.call('POST', '/api/admin/backups', { headers })
      assert.equal(asked.status, 202)
      await until(async () => (await runs()).state === 'running')
      into = during
      await until(async () => (await runs()).state === 'done')
      into = undefined
      const { started_at, finished_at } = await runs()
      seconds.push((Date.parse(finished_at) - Date.parse(started_at)) / 1000)
    }
  } finally {
    isDone = true
    await traffic
    caller.close()
    await service.stop()
  }
  return { seconds, quiet, during }
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await setTimeout(20)
}
