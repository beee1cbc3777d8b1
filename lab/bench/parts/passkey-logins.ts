import {
  type CreationOptions,
  type RequestOptions,
  type SoftwarePasskey,
  softwarePasskey,
} from '../../../test/passkeys.ts'
import { measured, postJson, type Request, send } from '../load.ts'
import type { Service } from '../service.ts'
import type { Contender } from '../turns.ts'
import { password, usernames } from './seeded.ts'

/** Passkeys belong to a domain: the service must be started with this `BASE_URL`. */
export const origin = 'http://localhost'

const accounts = 64
/** More in a second would be more than the service answers. */
const perSecond = 1500

/** `POST /login` by passkeys of 64 accounts in turn, which sign before the turn begins. */
export async function passkeyLogins(
  name: string,
  service: Service,
  connections: number,
): Promise<Contender> {
  const passkeys: SoftwarePasskey[] = []
  for (const username of usernames.slice(-accounts)) {
    passkeys.push(await passkeyOf(service, username))
  }
  return {
    name,
    async run(seconds) {
      const count = Math.ceil(perSecond * seconds)
      const requests: Request[] = []
      for (let index = 0; index < count; index += 1) {
        const options = await ask(service, '/api/public/passkeys/options', {})
        const passkey = passkeys[index % accounts]?.assertion(options)
        requests.push(postJson('/login', { passkey, mode: 'token' }))
      }
      return measured(service, async () => {
        const { answered, seconds: taken } = await send(
          service,
          { connections, requests, count },
          60,
        )
        return { count: answered, seconds: taken }
      })
    },
  }
}

interface Answer extends CreationOptions, RequestOptions {
  readonly token: string
}

/** Adds a passkey to an account, as its page does. */
async function passkeyOf(service: Service, username: string): Promise<SoftwarePasskey> {
  const { token } = await ask(service, '/login', { username, password, mode: 'token' })
  const headers = { authorization: `Bearer ${token}` }
  const proof = { current_password: password }
  const options = await ask(service, '/api/account/passkeys/options', proof, headers)
  const passkey = softwarePasskey({ origin })
  const response = passkey.registration(options)
  await ask(service, '/api/account/passkeys', { response, name: 'Benchmark' }, headers)
  return passkey
}

async function ask(
  { url }: Service,
  path: string,
  body: object,
  headers: Request['headers'] = {},
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = (await response.json()) as Answer // as the routes document it
  if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`)
  return answer
}
