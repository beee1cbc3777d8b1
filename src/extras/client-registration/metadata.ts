import { isLoopback } from '../../core/addresses/loopback.ts'
import type { Application } from '../../modules/clients/application.ts'
import type { Client } from '../../modules/clients/client-entry.ts'
import { isObject } from '../../modules/clients/entry-reader.ts'
import type { RegistrationToken } from './store.ts'

/** What an application says of itself (RFC 7591 section 2). Other members are ignored. */
export interface Metadata {
  readonly redirect_uris?: readonly string[] | undefined
  readonly token_endpoint_auth_method?: string | undefined
  readonly grant_types?: readonly string[] | undefined
  readonly response_types?: readonly string[] | undefined
  readonly client_name?: string | undefined
  readonly client_uri?: string | undefined
  readonly subject_type?: string | undefined
  readonly scope?: string | undefined
  readonly jwks?: unknown
  readonly post_logout_redirect_uris?: readonly string[] | undefined
}

export class MetadataError extends Error {
  readonly isRedirect: boolean

  constructor(message: string, { isRedirect = false } = {}) {
    super(message)
    this.name = 'MetadataError'
    this.isRedirect = isRedirect
  }
}

const methods: Readonly<Record<string, Application['clientAuth']>> = {
  client_secret_basic: 'basic',
  client_secret_post: 'post',
  private_key_jwt: 'private_key_jwt',
  none: 'none',
}
const grants = ['authorization_code', 'refresh_token']

/**
 * The entry of the client, in the fields of CLIENTS_FILE. People are always asked for consent.
 * @throws MetadataError
 */
export function entryFor(
  id: string,
  sent: Metadata,
  { redirectHosts, scopes: allowed }: Pick<RegistrationToken, 'redirectHosts' | 'scopes'>,
): Readonly<Record<string, unknown>> {
  const redirects = sent.redirect_uris ?? []
  for (const uri of [...redirects, ...(sent.post_logout_redirect_uris ?? [])]) {
    if (isAllowed(uri, redirectHosts)) continue
    throw new MetadataError(`the token does not allow ${uri}`, { isRedirect: true })
  }
  if (sent.client_uri !== undefined && !isAllowed(sent.client_uri, redirectHosts)) {
    throw new MetadataError(`the token does not allow ${sent.client_uri}`)
  }
  const { token_endpoint_auth_method: method = 'client_secret_basic' } = sent
  const auth = methods[method]
  if (auth === undefined) throw new MetadataError(`${method} is not supported`)
  const grant = sent.grant_types?.find((one) => !grants.includes(one))
  if (grant !== undefined) throw new MetadataError(`the grant ${grant} is not supported`)
  const response = sent.response_types?.find((one) => one !== 'code')
  if (response !== undefined) throw new MetadataError(`the response ${response} is not supported`)
  const scopes = sent.scope?.split(' ').filter((one) => one !== '') ?? allowed
  const scope = scopes.find((one) => !allowed.includes(one))
  if (scope !== undefined) throw new MetadataError(`the token does not allow the scope ${scope}`)
  return {
    ...{ id, type: typeOf(auth, redirects), client_auth: auth, scopes, consent: 'always' },
    redirect_uris: redirects,
    ...(sent.client_name !== undefined && { name: sent.client_name }),
    ...(sent.client_uri !== undefined && { home_uri: sent.client_uri }),
    ...(sent.subject_type !== undefined && { subject: sent.subject_type }),
    ...(sent.jwks !== undefined && { jwks: isObject(sent.jwks) ? sent.jwks : {} }),
    ...(sent.post_logout_redirect_uris && {
      post_logout_redirect_uris: sent.post_logout_redirect_uris,
    }),
  }
}

/** As the application is registered (RFC 7591 section 3.2.1). */
export function registeredAs({ id, application }: Client, secret: string | null, at: number) {
  const one = application as Application // `entryFor` gives each a type
  const [method] = Object.entries(methods).find(([, auth]) => auth === one.clientAuth) ?? []
  return {
    client_id: id,
    client_id_issued_at: Math.floor(at / 1000),
    ...(secret !== null && { client_secret: secret, client_secret_expires_at: 0 }),
    client_name: one.name,
    ...(one.homeUri !== null && { client_uri: one.homeUri }),
    redirect_uris: [...one.redirectUris],
    post_logout_redirect_uris: [...one.postLogoutRedirectUris],
    token_endpoint_auth_method: method ?? 'none',
    grant_types: grants,
    response_types: ['code'],
    scope: one.scopes.join(' '),
    subject_type: one.subject,
    ...(one.jwks && { jwks: { keys: [...one.jwks.keys] } }),
  }
}

/** A host, a scheme of its own (RFC 8252 section 7.1), or `localhost` for any loopback address. */
function isAllowed(uri: string, hosts: readonly string[]): boolean {
  const url = URL.parse(uri)
  if (!url) return false
  const { host, hostname, protocol } = url
  if (protocol !== 'https:' && protocol !== 'http:') return hosts.includes(protocol)
  return hosts.includes(host) || (isLoopback(hostname) && hosts.includes('localhost'))
}

function typeOf(auth: Application['clientAuth'], redirects: readonly string[]) {
  if (auth !== 'none') return 'web'
  const isOfMachine = (uri: string) => {
    const url = URL.parse(uri)
    return url?.protocol === 'http:' || url?.protocol !== 'https:'
  }
  return redirects.some(isOfMachine) ? 'native' : 'spa'
}
