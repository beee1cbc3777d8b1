import { isSubject, memberAt } from './claims.ts'
import { asApiError } from './faults.ts'
import { wrong } from './guarded-fetch.ts'
import type { IdentityClaims } from './identities.ts'
import { objectOf, textOf } from './presets/answers.ts'
import type { ReadPerson } from './presets/preset.ts'
import { presetOf } from './presets/presets.ts'
import type { Client, Provider } from './provider.ts'

/** Bind the provider's response to its request. */
export interface FlowSecrets {
  readonly state: string
  readonly nonce: string
  /** RFC 7636 section 4.1: 43 to 128 characters. */
  readonly verifier: string
}

export interface Return {
  readonly client: Client
  readonly url: URL
  readonly secrets: FlowSecrets
  readonly limit: AbortSignal
}

/**
 * RFC 6749 section 4.1.3 and RFC 7636, without an ID token: the token is used once, to ask who the
 * person is, and dropped. @throws ApiError as `exchange`
 */
export async function exchangeOauth2(
  { config }: Provider,
  { client, url, secrets: { state, verifier } }: Return,
): Promise<IdentityClaims> {
  try {
    const { access_token } = await client.library.authorizationCodeGrant(
      client.configuration,
      url,
      { expectedState: state, pkceCodeVerifier: verifier },
    )
    const read = presetOf(config)?.person ?? byFields(config)
    const person = await read((address, headers) =>
      client.ask(address, { ...headers, authorization: `Bearer ${access_token}` }),
    )
    if (!isSubject(person.subject)) throw noSubject()
    return { ...person, issuer: config.issuer, authTime: undefined, roles: null }
  } catch (error) {
    throw asApiError(error, client)
  }
}

/** By the fields that the settings name. */
function byFields({ endpoints, fields }: Provider['config']): ReadPerson {
  return async (ask) => {
    const answer = objectOf(await ask(endpoints.userinfo ?? ''))
    const at = (path: string | undefined) =>
      path === undefined ? undefined : memberAt(answer, path)
    const email = textOf(at(fields?.EMAIL_FIELD))
    return {
      subject: subjectOf(at(fields?.SUBJECT_FIELD)),
      username: textOf(at(fields?.USERNAME_FIELD)),
      email,
      isEmailVerified: email !== undefined && at(fields?.EMAIL_VERIFIED_FIELD) === true,
      name: textOf(at(fields?.NAME_FIELD)),
    }
  }
}

/** 0 stands for nobody at several providers. */
function subjectOf(value: unknown): string {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return String(value)
  if (isSubject(value) && value !== '0') return value
  throw noSubject()
}

function noSubject() {
  return wrong('the provider states no permanent id of the person')
}
