import { accessAlgorithm } from '../../keys/algorithm.ts'
import { operatorKeys } from '../../keys/signing-key.ts'
import { storedKeys } from '../../keys/stored-keys.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import type { Check, Found } from '../check.ts'
import type { Answer, Probe } from '../probe.ts'
import type { Outside } from '../scene.ts'
import { isOurs, isStatus, statusPath } from './reachable.ts'

/** Of any method the service answers 404 here, by itself, and reads no body. */
const noRoute = '/api/public/doctor'

const jwks: Check<Outside> = {
  id: 'jwks',
  level: 'error',
  good: 'the public keys are reached, and are those that sign now',
  why: 'Services that verify tokens fetch the keys there; without them, or with old ones, they refuse every token.',
  mend: {
    do: 'Pass /.well-known/jwks.json to the service, and keep it no longer than its Cache-Control says.',
    nginx: 'location / { proxy_pass http://127.0.0.1:3000; }   # and proxy_cache off;',
    caddy: 'reverse_proxy 127.0.0.1:3000   # for /.well-known/ too',
  },
  async find(outside) {
    const path = '/.well-known/jwks.json'
    const answer = await outside.probe.get(path)
    const published = keysOf(answer)
    if (answer.status !== 200 || published === null) {
      return [{ what: `${path} answers ${answer.status}, and no set of keys.` }]
    }
    if (published.some((key) => ['d', 'p', 'q', 'k'].some((part) => part in key))) {
      return [{ what: `${path} holds private keys.` }]
    }
    const expected = await signingNow(outside)
    if (expected === null) {
      if (published.length > 0) return []
      const what = `${path} has no key: tokens are signed by HS256, or the keys are lost.`
      const setting = 'TOKEN_ALGORITHM=RS256'
      return [
        { what, level: 'info', mend: { do: 'With RS256 others can verify tokens.', setting } },
      ]
    }
    const missing = expected.filter((kid) => !published.some((key) => key.kid === kid))
    return missing.map((kid) => ({ what: `${path} lacks the key ${kid}, which signs.` }))
  },
}

function keysOf({ json }: Answer): Record<string, unknown>[] | null {
  if (typeof json !== 'object' || json === null || !('keys' in json)) return null
  const { keys } = json
  if (!Array.isArray(keys)) return null
  return keys.filter((key) => typeof key === 'object' && key !== null)
}

/** The ids of the public keys that must be there; null if that is not known here. */
async function signingNow({ inside, origin, clock }: Outside): Promise<string[] | null> {
  if (inside?.config.baseUrl !== origin) return null
  const { config, db } = inside
  const stored = await storedKeys(db)
  if (accessAlgorithm(config, stored) !== 'RS256') return []
  const own = (await operatorKeys(config)).filter(({ algorithm }) => algorithm === 'RS256')
  const current = stored.filter(
    ({ algorithm, purpose, retiredAt, signsFrom }) =>
      purpose === 'signing' &&
      algorithm === 'RS256' &&
      retiredAt === null &&
      (signsFrom ?? 0) <= clock.now(),
  )
  const [newest] = current
  return own.length > 0 ? own.map(({ kid }) => kid) : newest ? [newest.id] : []
}

const methods: Check<Outside> = {
  id: 'methods',
  level: 'error',
  good: 'the proxy passes GET, POST, PUT, DELETE and OPTIONS on',
  why: 'Changes and removals are refused by something that knows nothing of rights, and clients cannot tell why.',
  mend: {
    do: 'Let the service judge methods.',
    nginx: '# remove: limit_except ..., and if ($request_method ...)',
    caddy: '# remove: matchers of method before reverse_proxy',
  },
  async find({ probe }) {
    if (!isOurs(await probe.get(noRoute))) return [] // refusals are replaced, whatever the method
    const found: Found[] = []
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await probe.send(noRoute, { method })
      // With CORS_ORIGINS the service answers every OPTIONS itself.
      if (isOurs(answer) || (method === 'OPTIONS' && answer.header('x-request-id') !== '')) continue
      found.push({ what: `${method} is answered ${answer.status} before it reaches the service.` })
    }
    return found
  },
}

// What a body may have where it is not told: BODY_LIMIT_BYTES.
const defaultLimit = 1_048_576
const mostSent = 4_194_304
// What every route with a body reads.
const smallLimit = 16_000

const bodyLimit: Check<Outside> = {
  id: 'body_limit',
  level: 'warning',
  good: 'the proxy takes bodies that the service takes',
  why: 'A larger body is refused by the proxy, in a form that clients of the API do not know.',
  mend: {
    do: 'Let the limit of the service decide: BODY_LIMIT_BYTES, and none for imports.',
  },
  async find({ inside, probe }) {
    const limit = Math.min(inside?.config.http.bodyLimitBytes ?? defaultLimit, mostSent)
    const mend = {
      nginx: `client_max_body_size ${Math.ceil(limit / 1024) + 1}k;   # or 0, for imports`,
      caddy: `request_body { max_size ${Math.ceil(limit / 1024) + 1}KiB }   # or none`,
    }
    // A proxy that keeps a body until it is whole judges its length first. One that passes it on at
    // once is stopped by the answer of the service: only what the service reads can be seen there.
    const tried = [
      { path: noRoute, bytes: limit },
      { path: '/api/public/verification', bytes: smallLimit },
    ]
    for (const { path, bytes } of tried) {
      const answer = await refusedBody(probe, path, bytes)
      // Caddy 2.6 tells it as 502.
      if (!answer || isOurs(answer) || (answer.status !== 413 && answer.status < 500)) continue
      return [
        { what: `A body of ${bytes} bytes is refused by the proxy (${answer.status}).`, mend },
      ]
    }
    return []
  },
}

/** Sends a body without a meaning; null if the connection was closed before all of it was sent. */
async function refusedBody(probe: Probe, path: string, bytes: number): Promise<Answer | null> {
  const headers = { 'content-type': 'application/json' }
  try {
    return await probe.send(path, { method: 'POST', headers, body: '{}'.padEnd(bytes) })
  } catch (error) {
    if (error instanceof OutboundError && error.fault !== 'timed_out') return null
    throw error
  }
}

const authorization: Check<Outside> = {
  id: 'authorization_header',
  level: 'error',
  good: 'Authorization reaches the service',
  why: 'Every request with a token or with a username and password is refused as if it had none.',
  mend: {
    do: 'Pass the header on.',
    nginx: 'proxy_set_header Authorization $http_authorization;',
    caddy: '# remove: header_up -Authorization',
  },
  async find({ probe }) {
    const headers = { authorization: 'Bearer doctor' }
    const answer = await probe.send('/api/me?doctor', { headers }) // not from a cache
    if (answer.status !== 401 || !isOurs(answer)) return []
    if (/error="?invalid_token/.test(answer.header('www-authenticate'))) return []
    return [{ what: 'A bearer token does not reach the service.' }]
  },
}

const paths: Check<Outside> = {
  id: 'paths',
  level: 'warning',
  good: 'the proxy passes paths on as they were sent',
  why: 'A path that the proxy rewrites is another one to the service: names with a slash or a percent sign are not found, and rules by path are judged twice.',
  mend: {
    do: 'Pass the path as it is.',
    nginx: 'proxy_pass http://127.0.0.1:3000;   # without a path or a slash at its end',
    caddy: '# remove: uri, rewrite, handle_path',
  },
  async find({ probe }) {
    const answer = await probe.get('/api/public%2Fstatus')
    return isStatus(answer) ? [{ what: 'The proxy decodes %2F in paths.' }] : []
  },
}

const cached: Check<Outside> = {
  id: 'cached',
  level: 'error',
  good: 'no cache in front answers in place of the service',
  why: 'Answers to one person are shown to another, and what was revoked stays valid for as long as it is kept.',
  mend: {
    do: 'Keep nothing of this host: the service sends Cache-Control: no-store where that is wanted.',
    nginx: 'proxy_cache off;   # and no proxy_ignore_headers Cache-Control',
    caddy: '# remove: cache',
  },
  async find({ probe }) {
    const [one, other] = [await probe.get(statusPath), await probe.send(statusPath)]
    const id = one.all('x-request-id').join()
    const isSame = id !== '' && id === other.all('x-request-id').join()
    return isSame
      ? [{ what: `${statusPath} was answered twice from a cache (${id.slice(0, 40)}).` }]
      : []
  },
}

const maxOffMs = 60_000

const clockSeen: Check<Outside> = {
  id: 'clock_seen',
  level: 'warning',
  good: 'the clocks of this machine and of the other side agree to a minute',
  why: 'Tokens and codes are refused by a clock that is off; one of the two is.',
  mend: { do: 'Keep both clocks by NTP.', setting: 'timedatectl set-ntp true' },
  async find({ clock, probe }) {
    const before = clock.now()
    const { header } = await probe.send(statusPath)
    const there = Date.parse(header('date'))
    const off = Math.max(before - there, there - clock.now())
    if (Number.isNaN(there) || off <= maxOffMs) return []
    return [{ what: `The Date of the answer is ${Math.round(off / 1000)} s off.` }]
  },
}

export const passingChecks: readonly Check<Outside>[] = [
  jwks,
  methods,
  bodyLimit,
  authorization,
  paths,
  cached,
  clockSeen,
]
