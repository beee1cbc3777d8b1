import { createHash } from 'node:crypto'
import { derivedKey, keyedDigest } from '../../core/crypto/digest.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import type { Needs } from '../../core/module/services.ts'
import type { Amr } from '../authentication/evidence.ts'
import { createChallenges } from './challenges.ts'
import { passkeyBackupChanged, passkeyCounterBack } from './events.ts'
import { type RequestOptions, requestOptions } from './options.ts'
import { type Passkey, passkeyStore } from './store.ts'
import type { Asserted } from './webauthn/assertion.ts'
import { CeremonyError } from './webauthn/ceremony-error.ts'
import { idIn } from './webauthn/response.ts'

export interface Passkeys {
  readonly rpId: string
  /** Stores nothing. `ofUser`: only passkeys of this user. */
  options(purpose: string, ofUser?: number): Promise<RequestOptions>
  /** Whether any account has one. Costs no statement once one was seen. */
  exist(): Promise<boolean>
  /** base64url. Says nothing about the user. */
  handleOf(userId: number): string
  /**
   * The answer of a passkey as an object or its JSON, for a challenge of the purpose. `userId`: of
   * this user alone. Writes nothing. @throws ApiError invalidCredentials
   */
  verify(
    sent: unknown,
    of: { readonly purpose: string; readonly userId?: number },
  ): Promise<Verified>
  /**
   * Uses challenge and counter up, in the transaction that the passkey completes. @throws ApiError
   * invalidCredentials if used or removed in between
   */
  use(trx: DatabaseOrTransaction, verified: Verified): Promise<void>
}

export interface Verified {
  readonly passkey: Passkey
  readonly asserted: Asserted
  readonly amr: readonly Amr[]
}

export type PasskeysDeps = Pick<Needs, 'clock' | 'config' | 'db' | 'events' | 'keys' | 'random'>

// As long as a flow of pages.
export const challengeSeconds = 1800

export function createPasskeys(deps: PasskeysDeps): Passkeys {
  const { clock, config, db, events, keys } = deps
  const { origins, rpId } = config.passkeys
  const challenges = createChallenges(deps)
  const handleKey = derivedKey(keys.dataKey, 'passkey user handles')
  const rpIdHash = createHash('sha256').update(rpId).digest()

  let haveBeenSeen = false

  const passkeys: Passkeys = {
    rpId,

    async exist() {
      haveBeenSeen ||= await passkeyStore(db).any()
      return haveBeenSeen
    },

    async options(purpose, ofUser) {
      const own = ofUser === undefined ? [] : await passkeyStore(db).of(ofUser)
      const challenge = challenges.begin(purpose, challengeSeconds)
      return requestOptions(
        { challenge, rpId },
        own.filter((passkey) => passkey.rpId === rpId),
      )
    },

    handleOf: (userId) => keyedDigest(handleKey, String(userId)),

    async verify(sent, { purpose, userId }) {
      const { verifyAssertion } = await loadVerification()
      const response = parsed(sent)
      const id = idIn(response)
      const passkey = id === null ? null : await passkeyStore(db).byCredential(id)
      const known = passkey ?? unknownPasskey(id)
      try {
        const asserted = verifyAssertion(
          response,
          { ...known, id: known.credentialId },
          {
            isChallenge: (challenge) => challenges.accepts(challenge, purpose),
            ...{ origins, rpIdHash, userHandle: passkeys.handleOf(known.userId) },
            isUserHandleNeeded: userId === undefined,
          },
        )
        // Anyone can sign for the key of an unknown passkey.
        if (!passkey || (userId ?? passkey.userId) !== passkey.userId) {
          throw new CeremonyError('unknown')
        }
        if (passkey.rpId !== rpId) throw new CeremonyError('rp_id')
        const isSynced = passkey.isBackupEligible || asserted.isBackupEligible
        return { passkey, asserted, amr: passkeyAmr(isSynced) }
      } catch (error) {
        if (!(error instanceof CeremonyError)) throw error
        if (!passkey) throw refused('unknown', null)
        if (error.step === 'counter') await reportCounter(passkey)
        throw refused(error.step, passkey.userId)
      }
    },

    async use(trx, { passkey, asserted }) {
      const { id, userId } = passkey
      if (!(await challenges.use(trx, asserted.challenge))) throw refused('used', userId)
      const { counter, isBackupEligible, isBackedUp } = asserted
      const use = { passkey, counter, isBackupEligible, isBackedUp, at: clock.now() }
      if (!(await passkeyStore(trx).use(use))) throw refused('used', userId)
      if (isBackupEligible === passkey.isBackupEligible) return
      const payload = { user_id: userId, passkey: id, eligible: isBackupEligible }
      await events.emitInTransaction(trx, passkeyBackupChanged, payload)
    },
  }
  return passkeys

  /** The owner learns that there may be a copy. */
  function reportCounter({ id, userId }: Passkey): Promise<void> {
    return transact(db, [], (trx) =>
      events.emitInTransaction(trx, passkeyCounterBack, { user_id: userId, passkey: id }),
    )
  }
}

let verification: Promise<typeof import('./webauthn/assertion.ts')> | undefined

/** At the first passkey: many services have none. Later imports cost 20 us each. */
function loadVerification() {
  verification ??= import('./webauthn/assertion.ts')
  return verification
}

/** RFC 8176: `hwk` only if the passkey could never be copied, as far as its authenticator says. */
export function passkeyAmr(isSynced: boolean): readonly Amr[] {
  return [isSynced ? 'swk' : 'hwk', 'user', 'pin', 'mfa']
}

export function refused(step: string, userId: number | null): ApiError {
  const facts = { user_id: userId, step }
  return new ApiError('invalidCredentials', { reason: { code: 'passkey_refused', facts } })
}

/** A form sends JSON. */
export function parsed(sent: unknown): unknown {
  if (typeof sent !== 'string') return sent
  try {
    return JSON.parse(sent)
  } catch {
    return null
  }
}

/** So that an unknown passkey takes as long as a wrong signature: the generator of P-256. */
const unknownKey = Buffer.from(
  'pQECAyYgASFYIGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWIlggT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU',
  'base64url',
)

function unknownPasskey(id: string | null): Passkey {
  return {
    ...{ id: '', credentialId: id ?? '', userId: 0, publicKey: unknownKey, algorithm: -7 },
    ...{ counter: 0, isBackupEligible: false, isBackedUp: false, rpId: '', name: '' },
    ...{ transports: [], createdAt: 0, lastUsedAt: null },
  }
}
