import { guardsOf } from './guards.ts'
import { createKeys, readJson } from './keys.ts'
import { Refusal } from './refusal.ts'
import type { Claims, Json, Needs, Options } from './types.ts'

export { type Claims, type Needs, type Options, Refusal }

const maxTokenLength = 8192
const toleranceSeconds = 5
const grammar = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/
const invalidToken = () => new Refusal(401, 'Invalid token', 'Bearer error="invalid_token"')

/** Checks access tokens of Gatehouse. */
export function createVerifier(options: Options) {
  const { applications, audience, client, issuer, url = issuer } = options
  if (!issuer || !audience) throw new TypeError('`issuer` and `audience` are required')
  const at = (path: string) => new URL(url.replace(/\/$/, '') + path)
  const basic = client && btoa([client.id, client.secret].map(encodeURIComponent).join(':'))
  const find = createKeys(() => readJson(at('/.well-known/jwks.json')))

  /** The claims of an access token. @throws Refusal for any other text */
  async function verify(token: string): Promise<Claims> {
    const parts = token.length > maxTokenLength ? null : grammar.exec(token)
    const [, head = '', body = '', tail = ''] = parts ?? []
    const { alg, crit, kid, typ } = objectOf(head)
    // Every key of the set is for RS256: the header cannot choose another algorithm.
    if (alg !== 'RS256' || typeof kid !== 'string' || crit !== undefined) throw invalidToken()
    const key = await answered(find(kid))
    const signed = new TextEncoder().encode(`${head}.${body}`)
    const isSigned = key && (await crypto.subtle.verify(key.algorithm, key, bytesOf(tail), signed))
    const claims = isSigned ? claimsOf(typ, objectOf(body)) : null
    if (!claims || !isFor(claims)) throw invalidToken()
    return claims as Claims
  }

  /** ID tokens, refresh tokens and logout tokens have another `type`, or none. */
  function claimsOf(typ: unknown, claims: Json): Json | null {
    const { roles, scope = '', type } = claims
    if (typ === 'at+jwt' && applications) return { ...claims, scope, roles: [] }
    return typ === 'JWT' && type === 'access' && Array.isArray(roles) ? claims : null
  }

  /** A token that is bound to a key (`cnf`) is no bearer token. */
  function isFor({ aud, cnf, exp, iat, iss, nbf, scope = '', sub }: Json): boolean {
    const seconds = Date.now() / 1000
    const hasBegun = [nbf, iat].every((time = 0) => Number(time) <= seconds + toleranceSeconds)
    const isLeft = typeof exp === 'number' && seconds < exp + toleranceSeconds
    const isOurs = iss === issuer && [aud].flat().includes(audience) && cnf === undefined
    return (
      hasBegun && isLeft && isOurs && typeof scope === 'string' && !!sub && typeof sub === 'string'
    )
  }

  /** What cannot be asked says nothing about the token. */
  function answered<Answer>(asked: Promise<Answer>): Promise<Answer> {
    return asked.catch((cause) => {
      options.onError?.(cause)
      throw new Refusal(503, 'Service unavailable')
    })
  }

  async function isLive(token: string): Promise<boolean> {
    const headers = { authorization: `Basic ${basic}` }
    const request = { method: 'POST', headers, body: new URLSearchParams({ token }) }
    return (await readJson(at('/oauth/introspect'), request)).active === true
  }

  /** The caller of an Authorization header, who has all that is needed. @throws Refusal */
  async function authenticate(authorization: string | null | undefined, needs: Needs = {}) {
    const { live, roles, scopes } = needs
    const [, token] = /^Bearer +([^ ]+) *$/i.exec(authorization ?? '') ?? []
    if (!token) throw new Refusal(401, 'No token provided', 'Bearer')
    if (live && !basic) throw new TypeError('`live` needs the option `client`')
    const claims = await verify(token)
    if (live && !(await answered(isLive(token)))) throw invalidToken()
    const given = claims.scope?.split(' ')
    const isWithin = !given || scopes?.every((scope) => given.includes(scope))
    if (isWithin && (roles?.some((role) => claims.roles.includes(role)) ?? true)) return claims
    const scope = scopes ? `, scope="${scopes.join(' ')}"` : ''
    throw new Refusal(403, 'Access denied', `Bearer error="insufficient_scope"${scope}`)
  }

  return { verify, authenticate, ...guardsOf(authenticate) }
}

/** Of base64url; none for another text. */
function bytesOf(segment: string): Uint8Array<ArrayBuffer> {
  try {
    const binary = atob(segment.replaceAll('-', '+').replaceAll('_', '/'))
    return Uint8Array.from(binary, (character) => character.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}

/** Empty for what is no JSON. */
function objectOf(segment: string): Json {
  try {
    return Object(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(segment))))
  } catch {
    return {}
  }
}
