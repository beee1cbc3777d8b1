import { digest } from '../../core/crypto/digest.ts'
import { randomText } from '../../core/crypto/random.ts'
import { type Guard, transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import { goneMeanwhile } from '../../core/http/changes/resource.ts'
import type { Needs } from '../../core/module/services.ts'
import { clientRegistered, registrationTokenCreated, registrationTokenRevoked } from './events.ts'
import { entryFor, type Metadata, MetadataError, registeredAs } from './metadata.ts'
import {
  invalidMetadata,
  invalidRedirectUri,
  invalidRegistrationToken,
  registrationTokenNotFound,
} from './problems.ts'
import { type RegistrationToken, registrationTokenStore } from './store.ts'

export interface ClientRegistration {
  /** Oldest first. */
  tokens(): Promise<RegistrationToken[]>
  createToken(wanted: WantedToken, guard?: Guard): Promise<MadeToken>
  /** @throws ApiError registrationTokenNotFound */
  revokeToken(id: string, guard?: Guard): Promise<void>
  /** @throws ApiError invalidRegistrationToken */
  findToken(text: string): Promise<RegistrationToken>
  /** @throws ApiError invalidRegistrationToken, invalidMetadata, invalidRedirectUri */
  register(token: RegistrationToken, sent: Metadata): Promise<ReturnType<typeof registeredAs>>
}

export interface WantedToken {
  readonly name: string
  readonly scopes: readonly string[]
  readonly redirectHosts: readonly string[]
  readonly registrations: number
  readonly expiresInDays: number
}

export interface MadeToken {
  readonly token: RegistrationToken
  /** Shown once. */
  readonly text: string
}

const dayMs = 86_400_000

export function createClientRegistration({
  clientAdmin,
  clock,
  db,
  events,
  random,
}: Pick<Needs, 'clientAdmin' | 'clock' | 'db' | 'events' | 'random'>): ClientRegistration {
  return {
    tokens: () => registrationTokenStore(db).all(),

    async createToken({ registrations, expiresInDays, ...wanted }, guard) {
      const text = `gtr_${randomText(random, 32)}`
      const createdAt = clock.now()
      const token: RegistrationToken = {
        ...{ ...wanted, id: randomText(random, 12), remaining: registrations, createdAt },
        expiresAt: createdAt + expiresInDays * dayMs,
      }
      await transact(
        db,
        [],
        async (trx) => {
          await registrationTokenStore(trx).insert({ ...token, digest: digest(text) })
          await events.emitInTransaction(trx, registrationTokenCreated, {
            ...{
              registration_token: token.id,
              scopes: token.scopes,
              redirect_hosts: token.redirectHosts,
            },
          })
        },
        guard,
      )
      return { token, text }
    },

    async revokeToken(id, guard) {
      await transact(
        db,
        [],
        async (trx) => {
          const isRemoved = await registrationTokenStore(trx).remove(id)
          if (!isRemoved) throw goneMeanwhile(registrationTokenNotFound)
          await events.emitInTransaction(trx, registrationTokenRevoked, { registration_token: id })
        },
        guard,
      )
    },

    async findToken(text) {
      const token = await registrationTokenStore(db).byDigest(digest(text))
      if (!token) throw refused({ code: 'registration_token_unknown' })
      if (token.remaining === 0 || token.expiresAt <= clock.now()) throw ended(token)
      return token
    },

    async register(token, sent) {
      const id = `reg-${randomText(random, 12)}`
      const entry = readable(token, () => entryFor(id, sent, token))
      const inTransaction = async (trx: Parameters<typeof registrationTokenStore>[0]) => {
        if (!(await registrationTokenStore(trx).use(token.id, clock.now()))) throw ended(token)
        await events.emitInTransaction(trx, clientRegistered, {
          ...{ registration_token: token.id, client: id },
        })
      }
      try {
        const { client, secret } = await clientAdmin.create(entry, { inTransaction })
        return registeredAs(client, secret, clock.now())
      } catch (error) {
        throw error instanceof ApiError && error.row === 'validationFailed'
          ? ofMistakes(token, error)
          : error
      }
    },
  }
}

function readable<T>(token: RegistrationToken, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof MetadataError)) throw error
    throw refusal(token, error.message, error.isRedirect)
  }
}

function ofMistakes(token: RegistrationToken, { details = [] }: ApiError): ApiError {
  const [{ path, message } = { path: [], message: '' }] = details
  const isRedirect = /^(post_logout_)?redirect_uris$/.test(path[0] ?? '')
  return refusal(token, [path.join('.'), message].join(' ').trim(), isRedirect)
}

function refusal({ id }: RegistrationToken, message: string, isRedirect: boolean): ApiError {
  return new ApiError(isRedirect ? invalidRedirectUri : invalidMetadata, {
    extra: { error_description: message },
    reason: { code: 'client_metadata_refused', facts: { registration_token: id, message } },
  })
}

function ended({ id }: RegistrationToken): ApiError {
  return refused({ code: 'registration_token_ended', facts: { registration_token: id } })
}

function refused(reason: ApiError['reason']): ApiError {
  const challenge = 'Bearer realm="registration", error="invalid_token"'
  return new ApiError(invalidRegistrationToken, { challenge, reason })
}
