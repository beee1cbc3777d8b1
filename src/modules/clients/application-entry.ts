import type { Words } from '../../core/lib/languages.ts'
import { isScope, parseRoleName } from '../../core/policy/principal.ts'
import {
  type Application,
  applicationTypes,
  clientAuthMethods,
  consents,
  isConfidential,
  isRedirected,
  scopesOfPeople,
  sectorOf,
  subjects,
} from './application.ts'
import { backchannelFault, originFault, redirectFault, uriFault } from './application-uris.ts'
import { type Entry, entryReader, isObject, type Mistake } from './entry-reader.ts'
import { jwksFault } from './public-keys.ts'

/** The fields that only applications have. */
export const applicationFields = [
  ...['type', 'name', 'operator', 'home_uri', 'redirect_uris', 'post_logout_redirect_uris'],
  ...['scopes', 'consent', 'allow', 'two_factor', 'resource', 'backchannel_logout_uri'],
  ...['origins', 'claims', 'client_auth', 'jwks', 'pkce', 'disabled', 'subject'],
]

const defaultScopes = ['openid', 'profile', 'email', 'groups']
const ofPeople: readonly string[] = scopesOfPeople
const claimPlaces = ['id_token', 'userinfo'] as const
const claimFormat = /^[a-z][a-z0-9_]{0,63}$/

interface Context {
  readonly id: string
  readonly hasSecret: boolean
  /** What `resource` must name; undefined: not checked. */
  readonly issuer?: string | undefined
}

/** Null for an entry without a field of applications. */
export function parseApplication(
  entry: Entry,
  { id, hasSecret, issuer }: Context,
): { readonly application: Application; readonly mistakes: readonly Mistake[] } | null {
  if (!applicationFields.some((field) => entry[field] !== undefined)) return null
  const { mistakes, refuse, checked, text, oneOf, flag, list } = entryReader(entry)
  if (/^\d+$/.test(id))
    refuse('id', {
      en: 'must not be digits alone, like the id of a user',
      de: 'darf nicht nur aus Ziffern bestehen, wie die Nummer einer Person',
    })
  if (entry.type === undefined) refuse('type', { en: 'is missing', de: 'fehlt' })
  const type = oneOf('type', applicationTypes, 'web')
  const redirectUris = list('redirect_uris', (uri) => redirectFault(uri, type)) ?? []
  const sent = entry.redirect_uris ?? []
  const isEmpty = Array.isArray(sent) && sent.length === 0
  if (isRedirected(type) === isEmpty) {
    const wanted = isRedirected(type) ? 'name at least one address' : 'be absent'
    refuse('redirect_uris', {
      en: `must ${wanted} for the type ${type}`,
      de: `muss beim Typ ${type} ${isRedirected(type) ? 'mindestens eine Adresse nennen' : 'fehlen'}`,
    })
  }
  const resource = checked('resource', uriFault)
  if (resource !== null && issuer !== undefined && resource !== issuer) {
    refuse('resource', { en: `must be ${issuer}`, de: `muss ${issuer} sein` })
  }
  const scopes = list('scopes', scopeFault) ?? (type === 'machine' ? [] : defaultScopes)
  if (type === 'machine' && scopes.some((scope) => ofPeople.includes(scope))) {
    refuse('scopes', {
      en: `must have none of ${ofPeople.join(', ')} for the type machine`,
      de: `darf beim Typ machine keinen von diesen haben: ${ofPeople.join(', ')}`,
    })
  }
  if (type !== 'machine' && !scopes.some((scope) => ofPeople.includes(scope))) {
    refuse('scopes', {
      en: `must have one of ${ofPeople.join(', ')} for the type ${type}`,
      de: `muss beim Typ ${type} einen von diesen haben: ${ofPeople.join(', ')}`,
    })
  }
  if (resource === null && scopes.some((scope) => scope.includes(':'))) {
    refuse('scopes', {
      en: 'must have none of the API without "resource"',
      de: 'darf ohne „resource“ keinen der API haben',
    })
  }
  const claims = isObject(entry.claims) ? entry.claims : {}
  const places: readonly string[] = claimPlaces
  if (
    claims !== (entry.claims ?? claims) ||
    Object.keys(claims).some((at) => !places.includes(at))
  ) {
    refuse('claims', {
      en: `must be an object of ${claimPlaces.join(' and ')}`,
      de: `muss ein Objekt aus ${claimPlaces.join(' und ')} sein`,
    })
  }
  const claimsAt = (place: (typeof claimPlaces)[number]) =>
    list(place, claimFault, { of: claims, path: ['claims', place] })
  const application: Application = {
    ...{ type, name: text('name') ?? id, operator: text('operator') },
    homeUri: checked('home_uri', uriFault),
    redirectUris,
    postLogoutRedirectUris:
      list('post_logout_redirect_uris', (uri) => redirectFault(uri, type)) ?? [],
    scopes,
    consent: oneOf('consent', consents, 'once'),
    allow: list('allow', roleFault)?.flatMap((role) => parseRoleName(role) ?? []) ?? null,
    needsTwoFactors: flag('two_factor'),
    resource,
    backchannelLogoutUri: checked('backchannel_logout_uri', backchannelFault),
    origins: list('origins', originFault) ?? [],
    claims: { idToken: claimsAt('id_token'), userinfo: claimsAt('userinfo') },
    ...parseAuthentication(),
    subject: oneOf('subject', subjects, 'public'),
    pkce: oneOf('pkce', ['required', 'optional'], 'required'),
    isDisabled: flag('disabled'),
  }
  if (application.pkce === 'optional' && type !== 'web') {
    refuse('pkce', {
      en: `must be required for the type ${type}`,
      de: `muss beim Typ ${type} required sein`,
    })
  }
  const fault = application.subject === 'pairwise' ? pairwiseFault(application) : null
  if (fault !== null) refuse('subject', fault)
  return { application, mistakes }

  function parseAuthentication(): Pick<Application, 'clientAuth' | 'jwks'> {
    const hasDefault = isConfidential(type) || (type === 'device' && hasSecret)
    const clientAuth = oneOf('client_auth', clientAuthMethods, hasDefault ? 'basic' : 'none')
    const isPublic = clientAuth === 'none'
    if (type !== 'device' && isConfidential(type) === isPublic) {
      const wanted = isPublic ? 'basic, post or private_key_jwt' : 'none'
      refuse('client_auth', {
        en: `must be ${wanted} for the type ${type}`,
        de: `muss beim Typ ${type} ${isPublic ? 'basic, post oder private_key_jwt' : 'none'} sein`,
      })
    }
    const jwks = entry.jwks ?? null
    const wantsKeys = clientAuth === 'private_key_jwt'
    const fault = jwks !== null && wantsKeys ? jwksFault(jwks) : null
    if (wantsKeys !== (jwks !== null)) {
      refuse(
        'jwks',
        wantsKeys
          ? { en: 'is missing for private_key_jwt', de: 'fehlt für private_key_jwt' }
          : { en: 'needs private_key_jwt', de: 'braucht private_key_jwt' },
      )
    }
    if (fault !== null) refuse('jwks', fault)
    return { clientAuth, jwks: fault === null ? (jwks as Application['jwks']) : null }
  }
}

/** The entry of an application; absent fields are left out. */
export function applicationEntry(id: string, one: Application): Entry {
  const given = (list: readonly string[]) => (list.length === 0 ? null : list)
  const { idToken, userinfo } = one.claims
  const claims = { ...(idToken && { id_token: idToken }), ...(userinfo && { userinfo }) }
  const entry = {
    type: one.type,
    name: one.name === id ? null : one.name,
    operator: one.operator,
    home_uri: one.homeUri,
    redirect_uris: given(one.redirectUris),
    post_logout_redirect_uris: given(one.postLogoutRedirectUris),
    scopes: one.scopes,
    consent: one.consent,
    allow: one.allow,
    two_factor: one.needsTwoFactors || null,
    resource: one.resource,
    backchannel_logout_uri: one.backchannelLogoutUri,
    origins: given(one.origins),
    claims: Object.keys(claims).length === 0 ? null : claims,
    client_auth: one.clientAuth,
    jwks: one.jwks,
    subject: one.subject === 'pairwise' ? one.subject : null,
    pkce: one.pkce === 'optional' ? one.pkce : null,
    disabled: one.isDisabled || null,
  }
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null))
}

function pairwiseFault(application: Application): Words | null {
  const { resource, type } = application
  if (type !== 'web' && type !== 'spa')
    return { en: `must be public for the type ${type}`, de: `muss beim Typ ${type} public sein` }
  // A token for the API names the user by its id.
  if (resource !== null)
    return { en: 'must be public with "resource"', de: 'muss mit „resource“ public sein' }
  return sectorOf(application) === null
    ? { en: 'needs redirect_uris of one host', de: 'braucht redirect_uris eines einzigen Hosts' }
    : null
}

function scopeFault(item: unknown): Words | null {
  return isScope(item) && item.length <= 64
    ? null
    : { en: 'must be a scope', de: 'muss ein Scope sein' }
}

function claimFault(item: unknown): Words | null {
  return typeof item === 'string' && claimFormat.test(item)
    ? null
    : { en: 'must be the name of a claim', de: 'muss der Name eines Claims sein' }
}

function roleFault(item: unknown): Words | null {
  return parseRoleName(item) ? null : { en: 'must be a role', de: 'muss eine Rolle sein' }
}
