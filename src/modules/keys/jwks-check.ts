import type { Check } from '../../core/checks/check.ts'
import type { OutsideContext } from '../../core/checks/context.ts'
import type { Answer } from '../../core/checks/probe.ts'
import { accessAlgorithm } from './algorithm.ts'
import { operatorKeys } from './signing-key.ts'
import { storedKeys } from './stored-keys.ts'

export const jwks: Check<OutsideContext> = {
  id: 'jwks',
  level: 'error',
  passMessage: 'the public keys are reached, and are those that sign now',
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

/** The ids of public keys that must be published; null if unknown here. */
async function signingNow({ inside, origin, clock }: OutsideContext): Promise<string[] | null> {
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
