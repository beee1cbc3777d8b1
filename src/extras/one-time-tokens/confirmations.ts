import type { EmailAddress } from '../../core/addresses/email.ts'
import { equalInConstantTime } from '../../core/crypto/digest.ts'
import { randomText } from '../../core/crypto/random.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { deleteExpired } from '../../core/database/purge.ts'
import { lockName, takeExclusiveLocks } from '../../core/database/transactions.ts'
import { ApiError, type RefusalReason } from '../../core/errors.ts'
import type { Language } from '../../core/lib/languages.ts'
import type { Needs } from '../../core/module/services.ts'
import { seal, unseal } from '../../modules/keys/seal.ts'
import { createCodes } from './codes.ts'
import {
  type ConfirmationPurpose,
  confirmationPurposes,
  endsWithLogins,
  isOfAccount,
  lifetimeOf,
  longestCodeSeconds,
  replacesOthers,
} from './purposes.ts'
import { createConfirmationSecrets, type SecretOf } from './secrets.ts'
import { confirmationStore, type StoredConfirmation } from './store.ts'

/**
 * Proves access to a mailbox by a mailed link or code, valid once. Neither is stored. docs/adr/0057
 */
export interface Confirmations {
  /**
   * Runs in the mail's transaction. A repeated request mails the same link and deadline, so that
   * strangers cannot invalidate a link; shortly before the deadline a new confirmation begins too.
   * Codes are per flow and valid only if mailed. Programs get a new id and full lifetime, to hide
   * earlier requests. A request without an address costs the same.
   */
  begin(trx: DatabaseOrTransaction, wanted: ConfirmationInput): Promise<Begun>
  /** Null if invalid. Changes nothing, so pages may call it. */
  open(token: string, purposes: readonly ConfirmationPurpose[]): Promise<Confirmation | null>
  /** @throws ApiError confirmationInvalid */
  openByToken(token: string, purposes: readonly ConfirmationPurpose[]): Promise<Confirmation>
  /**
   * Counts the try first, for this flow, in a separate transaction. `flow` is null for the API,
   * where `id` is the flow.
   * @throws ApiError confirmationInvalid
   */
  openByCode(
    id: string,
    code: string,
    flow: string | null,
    purposes: readonly ConfirmationPurpose[],
  ): Promise<Confirmation>
  /** For a page, before its form. */
  isOpen(confirmation: Confirmation): Promise<boolean>
  /**
   * Runs in the transaction of the confirmed change.
   * @throws ApiError confirmationInvalid if used, or the account changed
   */
  use(trx: DatabaseOrTransaction, confirmation: Confirmation): Promise<void>
  /** By default all purposes that `endsWithLogins` accepts. */
  cancelAll(
    trx: DatabaseOrTransaction,
    userId: number,
    purposes?: readonly ConfirmationPurpose[],
  ): Promise<void>
  /** The newest unverified address. */
  pending(userId: number, purposes: readonly ConfirmationPurpose[]): Promise<PendingAddress | null>
  /** Neither used nor withdrawn. */
  unused(
    trx: DatabaseOrTransaction,
    userId: number,
    purpose: ConfirmationPurpose,
  ): Promise<string[]>
  /** The newest of each address. */
  openOf(
    trx: DatabaseOrTransaction,
    userId: number,
    purpose: ConfirmationPurpose,
  ): Promise<PendingAddress[]>
  withdraw(trx: DatabaseOrTransaction, id: string): Promise<void>
  /**
   * Null if the link is invalid. A mail without a flow is from the previous version: its code is
   * the last flow's.
   */
  secretsOf(id: string, flow: string | null): Promise<MailedSecrets | null>
  purge(batchSize: number): Promise<number>
}

export interface PendingAddress {
  readonly id: string
  readonly address: EmailAddress
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

export type ConfirmationFacts = Readonly<
  Record<string, string | number | boolean | null | readonly string[]>
>

export interface ConfirmationInput {
  readonly purpose: ConfirmationPurpose
  /** Canonical; identifies repeats. */
  readonly asked: string
  readonly userId: number | null
  /** Null: no mail is sent. */
  readonly address: EmailAddress | null
  /** 0 without an account. */
  readonly version: number
  /** Null: a program; the response contains the flow. */
  readonly flow: string | null
  readonly language: Language
  readonly facts?: ConfirmationFacts
}

/** Must not reveal earlier requests. */
export interface BegunCode {
  /** New per request for a program; otherwise the confirmation's. */
  readonly id: string
  /** Epoch milliseconds of the code's end. */
  readonly expiresAt: number
}

export interface Begun extends BegunCode {
  /** A mail that repeats a link expires with the link. */
  readonly mail: {
    readonly confirmation: string
    readonly flow: string
    /** Epoch milliseconds of the link's end. */
    readonly expiresAt: number
  }
}

export interface Confirmation {
  readonly id: string
  readonly purpose: ConfirmationPurpose
  readonly userId: number | null
  readonly address: EmailAddress
  readonly language: Language
  readonly facts: ConfirmationFacts
  readonly by: 'link' | 'code'
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly expiresAt: number
  /** Distinguishes confirmations that reused a row. */
  readonly nonce: string
}

export interface MailedSecrets {
  readonly token: string
  readonly code: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

export type ConfirmationsDeps = Pick<
  Needs,
  'asyncCommitDb' | 'clock' | 'config' | 'db' | 'keys' | 'random'
>

/** Encrypted. */
interface Sealed {
  readonly nonce: string
  readonly address: EmailAddress | null
  readonly language: Language
  readonly facts: ConfirmationFacts
}

interface Judged {
  readonly row: StoredConfirmation
  readonly sealed: Sealed & { readonly address: EmailAddress }
}

const idBytes = 16
const nonceBytes = 9
const tokenFormat = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/
const codeFormat = /^[0-9]{8}$/
const idFormat = /^[A-Za-z0-9_-]{22}$/
const maxLateMs = 300_000

export function createConfirmations(deps: ConfirmationsDeps): Confirmations {
  const { config, db, asyncCommitDb, clock, random, keys } = deps
  const secrets = createConfirmationSecrets(keys)
  const codes = createCodes(db)

  return {
    async begin(trx, { asked, ...wanted }) {
      const { purpose, userId } = wanted
      const flow = wanted.flow ?? randomText(random, idBytes)
      const of = isOfAccount(purpose) ? `${userId}` : ''
      const index = secrets.index(`${purpose}|${of}|${asked}`)
      await takeExclusiveLocks(trx, lockName.confirmations(index))
      const store = confirmationStore(trx)
      const now = clock.now()
      if (userId !== null && replacesOthers(purpose)) {
        await store.cancel(userId, [purpose], now, index)
      }
      const lifetimeMs = lifetimeOf(config, purpose) * 1000
      const before = await store.newest(purpose, index, now + Math.min(lifetimeMs / 4, maxLateMs))
      const begun = (confirmation: string, expiresAt: number): Begun => ({
        id: wanted.flow === null ? flow : confirmation,
        expiresAt: now + lifetimeMs,
        mail: { confirmation, flow, expiresAt },
      })
      if (before !== null && stillFits(before, wanted)) {
        await store.setFlow(before.id, flow)
        return begun(before.id, before.expiresAt)
      }
      const id = before?.id ?? randomText(random, idBytes)
      const { address, language, facts = {} } = wanted
      const nonce = randomText(random, nonceBytes)
      const row = {
        id,
        purpose,
        userId,
        index,
        sealed: sealOf(id, { nonce, address, language, facts }),
        version: wanted.version,
        flow,
        createdAt: now,
        expiresAt: before?.expiresAt ?? now + lifetimeMs,
      }
      await (before ? store.renew(row) : store.insert(row))
      return begun(id, row.expiresAt)
    },

    async open(token, purposes) {
      const opened = await judgeToken(token, purposes)
      return 'code' in opened ? null : opened
    },

    async openByToken(token, purposes) {
      const opened = await judgeToken(token, purposes)
      if ('code' in opened) throw refused(opened)
      return opened
    },

    async openByCode(id, code, flow, purposes) {
      const typed = code.replace(/[\s-]/g, '')
      const isFormed = codeFormat.test(typed) && idFormat.test(id)
      if (!isFormed) throw refused({ code: 'confirmation_malformed' })
      const tried = await codes.countTry(id, flow)
      // Always queries, for constant cost.
      const found = await confirmationStore(db).find(tried.confirmation ?? '')
      if (!found) throw refused({ code: 'confirmation_unknown' })
      if (!tried.isLeft) throw refused(reasonOf('confirmation_tries_used', found))
      const lifetimeMs = lifetimeOf(config, found.purpose) * 1000
      const expiresAt = tried.askedAt === null ? found.expiresAt : tried.askedAt + lifetimeMs
      const judged = judge(found, purposes, expiresAt)
      if ('code' in judged) throw refused(judged)
      const isRight = equalInConstantTime(typed, secrets.code(secretOf(judged), tried.flow))
      if (!isRight || !tried.isMailed) throw refused(reasonOf('confirmation_wrong', found))
      return confirmationOf(judged, 'code')
    },

    async isOpen({ id, nonce, purpose, expiresAt }) {
      const row = await confirmationStore(db).find(id)
      const judged = row && judge(row, [purpose], expiresAt)
      return judged !== null && !('code' in judged) && judged.sealed.nonce === nonce
    },

    async use(trx, { id, nonce, purpose, expiresAt }) {
      const row = await confirmationStore(trx).hold(id)
      if (!row) throw refused({ code: 'confirmation_unknown' })
      const judged = judge(row, [purpose], expiresAt)
      if ('code' in judged) throw refused(judged)
      const isSame = judged.sealed.nonce === nonce
      if (isSame && (await confirmationStore(trx).use(id, clock.now()))) return
      throw refused(reasonOf('confirmation_used', row))
    },

    async cancelAll(trx, userId, purposes = confirmationPurposes.filter(endsWithLogins)) {
      await confirmationStore(trx).cancel(userId, purposes, clock.now())
    },

    async pending(userId, purposes) {
      for (const row of await confirmationStore(db).ofAccount(userId, purposes)) {
        const judged = judge(row, purposes)
        if ('code' in judged) continue
        return pendingOf(judged)
      }
      return null
    },

    async unused(trx, userId, purpose) {
      const rows = await confirmationStore(trx).ofAccount(userId, [purpose])
      return rows.map(({ id }) => id)
    },

    async openOf(trx, userId, purpose) {
      const rows = await confirmationStore(trx).ofAccount(userId, [purpose])
      const open = rows.flatMap((row) => {
        const judged = judge(row, [purpose])
        return 'code' in judged ? [] : [pendingOf(judged)]
      })
      return [...new Map(open.toReversed().map((one) => [one.address.key, one])).values()]
    },

    async withdraw(trx, id) {
      await confirmationStore(trx).use(id, clock.now())
    },

    async secretsOf(id, flow) {
      const row = await confirmationStore(db).find(id)
      const judged = row && judge(row, [row.purpose])
      if (!judged || 'code' in judged) return null
      const of = secretOf(judged)
      return {
        token: `${id}.${secrets.link(of)}`,
        code: secrets.code(of, flow ?? judged.row.flow),
        expiresAt: judged.row.expiresAt,
      }
    },

    // A late code outlives the link.
    purge: (batchSize) =>
      deleteExpired(
        asyncCommitDb,
        {
          table: 'confirmations',
          key: 'id',
          column: 'expires_at',
          until: clock.now() - longestCodeSeconds(config) * 1000,
        },
        batchSize,
      ),
  }

  async function judgeToken(
    token: string,
    purposes: readonly ConfirmationPurpose[],
  ): Promise<Confirmation | RefusalReason> {
    const [, id = '', secret] = tokenFormat.exec(token) ?? []
    if (secret === undefined) return { code: 'confirmation_malformed' }
    const row = await confirmationStore(db).find(id)
    if (!row) return { code: 'confirmation_unknown' }
    const judged = judge(row, purposes)
    if ('code' in judged) return judged
    const isRight = equalInConstantTime(secret, secrets.link(secretOf(judged)))
    return isRight ? confirmationOf(judged, 'link') : reasonOf('confirmation_wrong', row)
  }

  /** `expiresAt` is of the link or code. */
  function judge(
    row: StoredConfirmation,
    purposes: readonly ConfirmationPurpose[],
    expiresAt = row.expiresAt,
  ): Judged | RefusalReason {
    if (!purposes.includes(row.purpose)) return reasonOf('confirmation_of_another_purpose', row)
    if (expiresAt <= clock.now()) return reasonOf('confirmation_expired', row)
    if (row.usedAt !== null) return reasonOf('confirmation_used', row)
    if (endsWithLogins(row.purpose) && row.version !== row.versionNow) {
      return reasonOf('confirmation_outlived', row)
    }
    const { address, ...sealed } = unsealed(row)
    if (address === null) return reasonOf('confirmation_wrong', row) // no mail was sent
    return { row: { ...row, expiresAt }, sealed: { ...sealed, address } }
  }

  /** Whether nothing that the link depends on changed. */
  function stillFits(
    row: StoredConfirmation,
    { userId, address, version }: Omit<ConfirmationInput, 'asked'>,
  ): boolean {
    const before = unsealed(row)
    return (
      row.usedAt === null &&
      row.userId === userId &&
      row.version === version &&
      before.address?.key === address?.key
    )
  }

  function sealOf(id: string, sealed: Sealed): string {
    return seal(random, keys.dataKey, contextOf(id), Buffer.from(JSON.stringify(sealed)))
  }

  function unsealed({ id, sealed }: StoredConfirmation): Sealed {
    return JSON.parse(unseal(keys.dataKey, contextOf(id), sealed).toString())
  }
}

function pendingOf({ row: { id, expiresAt }, sealed: { address } }: Judged): PendingAddress {
  return { id, address, expiresAt }
}

function secretOf({ row: { id, purpose, version }, sealed }: Judged): SecretOf {
  return { id, purpose, version, nonce: sealed.nonce, addressKey: sealed.address.key }
}

function confirmationOf({ row, sealed }: Judged, by: Confirmation['by']): Confirmation {
  const { id, purpose, userId, createdAt, expiresAt } = row
  return { id, purpose, userId, createdAt, expiresAt, by, ...sealed }
}

/** Binds the ciphertext to its row. */
function contextOf(id: string): string {
  return `confirmation:${id}`
}

function reasonOf(
  code:
    | 'confirmation_wrong'
    | 'confirmation_used'
    | 'confirmation_expired'
    | 'confirmation_of_another_purpose'
    | 'confirmation_outlived'
    | 'confirmation_tries_used',
  { userId, purpose }: Pick<StoredConfirmation, 'userId' | 'purpose'>,
): RefusalReason {
  return { code, facts: { user_id: userId, purpose } }
}

function refused(reason: RefusalReason): ApiError {
  return new ApiError('confirmationInvalid', { reason })
}
