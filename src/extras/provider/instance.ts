import { sign } from 'node:crypto'
import { promisify } from 'node:util'
import type { Context, Provider } from 'oidc-provider'
import { derivedKey } from '../../core/crypto/digest.ts'
import { clientAddress } from '../../core/http/limits/client-address.ts'
import { languages } from '../../core/lib/languages.ts'
import { subjects } from '../../modules/clients/application.ts'
import type { SigningKey } from '../../modules/keys/signing-key.ts'
import { claimsByScope } from './account-claims.ts'
import { type AdapterDeps, createAdapter } from './adapter.ts'
import { createApiResource, customizeJwt } from './api-resource.ts'
import { originsOf } from './client-origins.ts'
import { createGrants } from './grants.ts'
import { inLanguage, twoFactors } from './interaction-login.ts'
import { type Library, loadLibrary } from './library.ts'
import { findAccountOf } from './library-account.ts'
import type { ApplicationsNeeds } from './needs.ts'
import { interactionPath, protocolPaths } from './paths.ts'
import { createPolicy } from './policy.ts'
import { checksOfParameters, keepErrorOutOfFragment } from './request-parameters.ts'
import { createSubjects } from './subjects.ts'
import { workNow } from './work.ts'

export interface Instance {
  readonly provider: Provider
  run(context: Context): Promise<void>
}

export interface InstanceParts extends Pick<AdapterDeps, 'clients' | 'interactions'> {
  readonly moreMetadata: () => readonly Readonly<Record<string, unknown>>[]
  /** Whether the client has the secret. @throws ApiError after too many guesses */
  readonly isSecretOf: (clientId: string, secret: string) => Promise<boolean>
}

/** What the library stores of a request that waits. */
interface Begun {
  readonly uid: string
  readonly params: Readonly<Record<string, string | undefined>>
}

/** Of the library. */
const failures = [
  ...['authorization.error', 'grant.error', 'userinfo.error'],
  ...['pushed_authorization_request.error', 'device_authorization.error'],
]

const confidential = ['client_secret_basic', 'client_secret_post', 'private_key_jwt']
const clientAuthMethods = [...confidential, 'none']
// Of private_key_jwt; as the library accepts them by default.
const assertionAlgorithms = ['RS256', 'PS256', 'ES256', 'Ed25519', 'EdDSA']

const daySeconds = 86_400
const codeSeconds = 60
const interactionSeconds = 3600
// Longer than any session: the row ends with the session.
const sessionSeconds = 400 * daySeconds
// Of access that survives a sign-out.
const grantSeconds = 365 * daySeconds
const deviceSeconds = 600
// A row keeps the id of an assertion as long.
const assertionSeconds = daySeconds
const idTokenSeconds = 3600

/** The instance for the key that signs now: the library takes keys and claims at its creation alone. */
export function createInstances(
  deps: ApplicationsNeeds,
  parts: InstanceParts,
): () => Promise<Instance> {
  let current: { readonly version: string; readonly instance: Instance } | undefined
  return async () => {
    const key = await deps.keys.signer('identity')
    const version = [key.kid, ...addedClaims(deps)].join()
    if (current?.version !== version) {
      current = { version, instance: instanceOf(await loadLibrary(), key, deps, parts) }
    }
    return current.instance
  }
}

function addedClaims({ accountClaims }: Pick<ApplicationsNeeds, 'accountClaims'>): string[] {
  const names = (['id_token', 'userinfo'] as const).flatMap((place) => accountClaims.names(place))
  return [...new Set(names)]
}

function instanceOf(
  library: Library,
  key: SigningKey,
  deps: ApplicationsNeeds,
  parts: InstanceParts,
): Instance {
  const { baseUrl } = deps.config
  const provider = new library.Provider(baseUrl, configurationOf(library, key, deps, parts))
  const { host, protocol, origin } = new URL(baseUrl)
  // The library makes addresses of the Host header, which anyone can write.
  const fixed = { host, hostname: host, protocol: protocol.slice(0, -1), origin, secure: true }
  for (const [name, value] of Object.entries(fixed)) {
    Object.defineProperty(provider.request, name, { get: () => value })
  }
  provider.Client.prototype.compareClientSecret = async function (
    this: { clientId: string },
    secret: string,
  ) {
    try {
      return await parts.isSecretOf(this.clientId, secret)
    } catch (error) {
      workNow().thrown = error
      return false
    }
  }
  for (const name of failures) {
    provider.on(name, (_, error) => {
      workNow().detail = (error as { error_detail?: string }).error_detail ?? null
    })
  }
  provider.on('authorization.error', (context) => keepErrorOutOfFragment(context as Context))
  provider.on('server_error', (_, error) => {
    workNow().thrown ??= error
  })
  const run = provider.compose(provider.middleware)
  return { provider, run }
}

function configurationOf(
  library: Library,
  key: SigningKey,
  deps: ApplicationsNeeds,
  parts: InstanceParts,
): object {
  const { config } = deps
  const { accessSeconds, refreshSeconds } = config.token
  const subjectFor = createSubjects(deps)
  // As read in this request, since the library asks without waiting.
  const applicationOf = (id: string) => workNow().applications.get(id)
  return {
    adapter: createAdapter({ ...deps, ...parts }),
    jwks: { keys: [signingKeyOf(library, key)] },
    routes: protocolPaths,
    discovery: {
      ...Object.assign({}, ...parts.moreMetadata()),
      prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
      ui_locales_supported: languages,
      end_session_endpoint: `${config.baseUrl}/oauth/end-session`,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      introspection_endpoint: `${config.baseUrl}/oauth/introspect`,
      introspection_endpoint_auth_methods_supported: confidential,
      introspection_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
      revocation_endpoint_auth_methods_supported: clientAuthMethods,
      revocation_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    },
    extraParams: checksOfParameters(library),
    scopes: ['openid', 'offline_access'],
    claims: claimsByScope(addedClaims(deps)),
    acrValues: [twoFactors],
    responseTypes: ['code'],
    subjectTypes: subjects,
    pairwiseIdentifier(_: unknown, accountId: string, { clientId }: { clientId: string }) {
      const application = applicationOf(clientId)
      if (!application) throw new Error('the client of a subject was not read')
      return subjectFor(application, accountId)
    },
    allowOmittingSingleRegisteredRedirectUri: false,
    conformIdTokenClaims: false,
    acceptQueryParamAccessTokens: false,
    assertJwtClientAuthClaimsAndHeader: assertionCheck(library, deps),
    clientAuthMethods,
    enabledJWA: {
      idTokenSigningAlgValues: ['RS256'],
      clientAuthSigningAlgValues: assertionAlgorithms,
    },
    pkce: {
      required: (_: unknown, client: { clientId: string }) =>
        applicationOf(client.clientId)?.pkce !== 'optional',
    },
    rotateRefreshToken: true,
    issueRefreshToken: async (_: unknown, client: { grantTypeAllowed(type: string): boolean }) =>
      client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async (_: unknown, code: { scopes: Set<string> }) =>
      !code.scopes.has('offline_access'),
    clientBasedCORS(_: unknown, origin: string, { clientId }: { clientId: string }) {
      const application = applicationOf(clientId)
      return application !== undefined && originsOf(application).includes(origin)
    },
    formats: { customizers: { jwt: customizeJwt } },
    loadExistingGrant: createGrants(deps),
    findAccount: findAccountOf(deps),
    interactions: {
      policy: createPolicy(library, deps),
      url: (_: unknown, { params, uid }: Begun) =>
        inLanguage(`${interactionPath}/${uid}`, params.ui_locales),
    },
    renderError(ctx: Context, out: { error: string; error_description?: string }) {
      workNow().shown = out
      ctx.body = ''
    },
    cookies: {
      names: { session: '__Host-application', interaction: 'interaction', resume: 'resume' },
      long: { httpOnly: true, sameSite: 'lax', secure: true, path: '/' },
      short: { httpOnly: true, sameSite: 'lax', secure: true },
    },
    ttl: {
      AccessToken: accessSeconds,
      AuthorizationCode: codeSeconds,
      ClientCredentials: accessSeconds,
      DeviceCode: deviceSeconds,
      Grant: grantSeconds,
      IdToken: idTokenSeconds,
      Interaction: interactionSeconds,
      RefreshToken: refreshSeconds,
      Session: sessionSeconds,
    },
    features: {
      externalSigningSupport: { enabled: true, ack: 'experimental-01' },
      clientCredentials: { enabled: true },
      deviceFlow: {
        enabled: true,
        deviceInfo: () => ({ address: clientAddress(workNow().request) }),
      },
      devInteractions: { enabled: false },
      introspection: { enabled: false },
      revocation: { enabled: true, allowedPolicy: () => false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: true },
      pushedAuthorizationRequests: { enabled: true },
      dPoP: {
        enabled: true,
        nonceSecret: derivedKey(deps.keys.dataKey, 'DPoP nonces'),
        requireNonce: () => false,
      },
      ...createApiResource(library, deps),
    },
  }
}

/** Of private_key_jwt; the library knows signature, audience and the end of the assertion. */
function assertionCheck({ errors }: Library, { clock }: Pick<ApplicationsNeeds, 'clock'>) {
  const { InvalidClientAuth = Error } = errors
  return async (_: Context, { exp }: { readonly exp: number }): Promise<void> => {
    if (exp > clock.now() / 1000 + assertionSeconds) {
      throw new InvalidClientAuth('the client_assertion lives longer than a day')
    }
    workNow().nextProof = 'assertion'
  }
}

/** Signs on a thread of libuv. */
function signingKeyOf({ ExternalSigningKey }: Library, { kid, signWith, verifyWith }: SigningKey) {
  const signature = promisify(sign)
  class IdentityKey extends ExternalSigningKey {
    override keyObject() {
      return verifyWith
    }
    override sign(data: Uint8Array) {
      return signature('sha256', data, signWith)
    }
  }
  return Object.assign(new IdentityKey(), { kid, alg: 'RS256' })
}
