import { digest } from '../../core/crypto/digest.ts'
import { randomText } from '../../core/crypto/random.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { transact } from '../../core/database/transactions.ts'
import { epochSeconds } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { guardedRequest } from '../../core/outbound/guarded-request.ts'
import { backOffMs } from '../../core/queue/back-off.ts'
import { signJws } from '../../modules/tokens/jws.ts'
import { logoutDelivered, logoutFailed } from './events.ts'
import { logouts } from './monitoring.ts'
import { loginStore } from './sign-out-store.ts'

type Deps = Pick<
  Needs,
  'clients' | 'clock' | 'config' | 'db' | 'events' | 'keys' | 'measurements' | 'random'
>

/** Back-Channel Logout 1.0: applications get a logout token for the end of a session, whatever ended it. */
export interface SignOuts {
  /** In the transaction that gives an application its tokens. */
  note(trx: DatabaseOrTransaction, client: string, sessionId: string): Promise<void>
  /** Delivers what is due, outside of a request. */
  run(stop?: AbortSignal): Promise<void>
}

const delaysMs = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000]
const givenUpMs = 86_400_000
const batch = 200
const timeoutMs = 5000
const tokenSeconds = 120
const event = 'http://schemas.openid.net/event/backchannel-logout'

/** The `sid` of ID tokens: one for each session and application. */
export function sidOf(sessionId: string, client: string): string {
  return digest(`application ${client} ${sessionId}`)
}

export function createSignOuts(deps: Deps): SignOuts {
  const { clients, clock, config, db, events, keys, measurements, random } = deps
  const rules = {
    addresses: config.provider.networks,
    allowsLoopback: config.environment !== 'production',
  }

  return {
    async note(trx, client, sessionId) {
      if (!(await clients.find(client, trx))?.application?.backchannelLogoutUri) return
      const sid = sidOf(sessionId, client)
      await loginStore(trx).note({ sid, client, sessionId, now: clock.now() })
    },

    async run(stop) {
      const store = loginStore(db)
      await store.findEnded(clock.now(), batch)
      await store.capDelays(clock.now(), batch)
      for (let count = 0; count < batch && !stop?.aborted; count += 1) {
        const login = await store.claim(clock.now(), { locked_by: randomText(random, 12) })
        if (!login) return
        await tell(login, stop)
      }
    },
  }

  type Login = NonNullable<Awaited<ReturnType<ReturnType<typeof loginStore>['claim']>>>

  async function tell(login: Login, stop: AbortSignal | undefined): Promise<void> {
    const { client, sid } = login
    const url = (await clients.find(client))?.application?.backchannelLogoutUri ?? null
    if (url === null) return loginStore(db).remove(sid) // the entry has no address any more
    const fault = await send(url, client, sid, stop)
    const isOld =
      clock.now() - (login.created_at + givenUpMs) >= 0 && login.attempts >= delaysMs.length
    if (fault !== null && !isOld) {
      const attempts = login.attempts + 1
      const at = clock.now() + backOffMs(random, delaysMs, attempts)
      measurements.of(logouts).add(['deferred'])
      await loginStore(db).retry(login, at, { attempts })
      return
    }
    await transact(db, [], async (trx) => {
      await loginStore(trx).remove(sid)
      if (fault === null) await events.emitInTransaction(trx, logoutDelivered, { client })
      else await events.emitInTransaction(trx, logoutFailed, { client, fault })
    })
  }

  /** Null: the application has answered. */
  async function send(
    url: string,
    client: string,
    sid: string,
    signal: AbortSignal | undefined,
  ): Promise<string | null> {
    try {
      const body = new URLSearchParams({ logout_token: await tokenFor(client, sid) }).toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const options = { rules, timeoutMs, maxAnswerBytes: 1024, ...(signal && { signal }) }
      const { status } = await guardedRequest({ url, method: 'POST', headers, body }, options)
      return status >= 200 && status < 300 ? null : `status ${status}`
    } catch (error) {
      return error instanceof Error && 'fault' in error ? String(error.fault) : 'unknown'
    }
  }

  /** Section 2.4; without a subject, so that no row names the person. */
  async function tokenFor(client: string, sid: string): Promise<string> {
    const key = await keys.signer('identity')
    const now = epochSeconds(clock.now())
    return signJws(
      key,
      { typ: 'logout+jwt', kid: key.kid },
      {
        ...{ iss: config.baseUrl, aud: client, iat: now, exp: now + tokenSeconds },
        ...{ jti: randomText(random, 16), sid, events: { [event]: {} } },
      },
    )
  }
}
