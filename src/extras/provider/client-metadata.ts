import type { Random } from '../../core/crypto/random.ts'
import { randomText } from '../../core/crypto/random.ts'
import { scopesOfPeople } from '../../modules/clients/application.ts'
import type { Client } from '../../modules/clients/client-entry.ts'
import { workNow } from './work.ts'

/** RFC 7591 section 2. */
export type ClientMetadata = Readonly<Record<string, unknown>>

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

const ofPeople: readonly string[] = scopesOfPeople

const grants = {
  web: ['authorization_code', 'refresh_token'],
  spa: ['authorization_code', 'refresh_token'],
  native: ['authorization_code', 'refresh_token'],
  device: [deviceGrant, 'refresh_token'],
  machine: ['client_credentials'],
} as const

const methods = {
  basic: 'client_secret_basic',
  post: 'client_secret_post',
  private_key_jwt: 'private_key_jwt',
  none: 'none',
} as const

/** What the library knows of a client; undefined unless it is an application that is not disabled. */
export function createClientMetadata(
  { find }: { readonly find: (id: string) => Promise<Client | null> },
  random: Random,
): (id: string) => Promise<ClientMetadata | undefined> {
  // The library wants a secret; ours are hashes, which `compareClientSecret` asks.
  const placeholder = randomText(random, 32)
  return async (id) => {
    const application = (await find(id))?.application
    if (!application) return undefined
    workNow().applications.set(id, application)
    const { clientAuth, jwks, name, redirectUris, type } = application
    const hasSecret = clientAuth === 'basic' || clientAuth === 'post'
    const isRedirected = redirectUris.length > 0
    const scope = application.scopes.filter((one) => ofPeople.includes(one)).join(' ')
    // Without one, the library would allow all.
    if (scope === '' && type !== 'machine') return undefined
    return {
      ...{ client_id: id, client_name: name, redirect_uris: [...redirectUris] },
      application_type: type === 'native' ? 'native' : 'web',
      response_types: isRedirected ? ['code'] : [],
      grant_types: [...grants[type]],
      token_endpoint_auth_method: methods[clientAuth],
      ...(hasSecret && { client_secret: placeholder }),
      ...(jwks && { jwks }),
      ...(scope !== '' && { scope }),
      id_token_signed_response_alg: 'RS256',
      subject_type: application.subject,
    }
  }
}
