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
 * Proofs that the caller reads a mailbox: a mail has a link and a code, and either counts once.
 * Neither is stored. docs/adr/0057
 */
export interface Confirmations {
  /**
   * Begins a confirmation, in the transaction of its mail. A repeat in the lifetime mails the same
   * link with the same deadline, so that a stranger who asks ends no link. Shortly before the deadline
   * a new confirmation begins next to the old one. Each flow has its own code, which counts only if it
   * was mailed. The answer to a program has a new id and the full lifetime each time, so that it does not
   * show an earlier request. A row without an address costs the same, and nothing confirms it.
   */
  begin(trx: DatabaseOrTransaction, wanted: ConfirmationInput): Promise<Begun>
  /** Reads that of a link; null if none counts. It changes nothing, so a page may call it. */
  open(token: string, purposes: readonly ConfirmationPurpose[]): Promise<Confirmation | null>
  /**
   * Reads that of a link, for the request that uses it.
   * @throws ApiError confirmationInvalid
   */
  openByToken(token: string, purposes: readonly ConfirmationPurpose[]): Promise<Confirmation>
  /**
   * Reads the confirmation of a code. `flow` is the flow of pages that asked for the code; null for
   * the API, where `id` is the flow. The try is counted first, for this flow alone, in a transaction
   * of its own.
   * @throws ApiError confirmationInvalid
   */
  openByCode(
    id: string,
    code: string,
    flow: string | null,
    purposes: readonly ConfirmationPurpose[],
  ): Promise<Confirmation>
  /** Whether one that was opened still counts: a page asks before it shows a form. */
  isOpen(confirmation: Confirmation): Promise<boolean>
  /**
   * Uses it up, in the transaction of what it confirms.
   * @throws ApiError confirmationInvalid if another request has used it, or the account has changed
   */
  use(trx: DatabaseOrTransaction, confirmation: Confirmation): Promise<void>
  /**
   * Withdraws confirmations of an account, by default of all purposes that `endsWithLogins` accepts.
   */
  cancelAll(
    trx: DatabaseOrTransaction,
    userId: number,
    purposes?: readonly ConfirmationPurpose[],
  ): Promise<void>
  /** The address of an account that waits for its proof, by the newest one of these purposes. */
  pending(userId: number, purposes: readonly ConfirmationPurpose[]): Promise<PendingAddress | null>
  /** The ids of those of an account that were neither used nor withdrawn. */
  unused(
    trx: DatabaseOrTransaction,
    userId: number,
    purpose: ConfirmationPurpose,
  ): Promise<string[]>
  /** The valid confirmations of an account: the newest of each address. */
  openOf(
    trx: DatabaseOrTransaction,
    userId: number,
    purpose: ConfirmationPurpose,
  ): Promise<PendingAddress[]>
  /** Withdraws one by its id, such as that of an invitation. */
  withdraw(trx: DatabaseOrTransaction, id: string): Promise<void>
  /**
   * The link and code of a mail, for the worker that sends it; null if the link no longer counts. A mail
   * without a flow was written by the previous version: it has the code of the flow that asked last.
   */
  secretsOf(id: string, flow: string | null): Promise<MailedSecrets | null>
  /** Deletes up to `batchSize` that have expired; answers how many. */
  purge(batchSize: number): Promise<number>
}

/** An address that waits for its proof. */
export interface PendingAddress {
  /** Of the confirmation. */
  readonly id: string
  readonly address: EmailAddress
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** Values that go into JSON. */
export type ConfirmationFacts = Readonly<
  Record<string, string | number | boolean | null | readonly string[]>
>

export interface ConfirmationInput {
  readonly purpose: ConfirmationPurpose
  /**
   * What the caller asked for in canonical form, as the key of an address or a username. Whether the
   * same confirmation is repeated depends on it.
   */
  readonly asked: string
  readonly userId: number | null
  /** Where the mail goes: a stored address, or one that is to be verified. Null: nowhere. */
  readonly address: EmailAddress | null
  /** The refresh version of the account; 0 without one. */
  readonly version: number
  /** The flow of pages in which the code counts. Null: a program asks, and the answer has its flow. */
  readonly flow: string | null
  readonly language: Language
  readonly facts?: ConfirmationFacts
}

/** The answer to the caller. It must not show whether the same was asked for before. */
export interface BegunCode {
  /** The id to send with the code. For a program a new one each time; for pages the confirmation's. */
  readonly id: string
  /** When the code ends: epoch milliseconds. */
  readonly expiresAt: number
}

export interface Begun extends BegunCode {
  /** For the outbox. A mail that repeats a link expires with the link. */
  readonly mail: {
    readonly confirmation: string
    readonly flow: string
    /** When the link ends: epoch milliseconds. */
    readonly expiresAt: number
  }
}

/** A confirmation whose link or code was right. */
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
  /** Tells two confirmations apart that one row has kept. */
  readonly nonce: string
}

export interface MailedSecrets {
  /** That of the link. */
  readonly token: string
  readonly code: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

export type ConfirmationsDeps = Pick<
  Needs,
  'asyncCommitDb' | 'clock' | 'config' | 'db' | 'keys' | 'random'
>

/** The part of a row that is stored encrypted. */
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
      // The lookup is made in any case, so that an address without a code costs the same.
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

    // The code of a flow that asked late is valid for longer than the link.
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

  /** Whether the row counts at all, whatever was sent; `expiresAt` is the end of its link or of a code. */
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
    if (address === null) return reasonOf('confirmation_wrong', row) // it was mailed to no one
    return { row: { ...row, expiresAt }, sealed: { ...sealed, address } }
  }

  /** Whether a repeat means the same mail: nothing that the link depends on has changed. */
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
    return JSON.parse(unseal(keys.dataKey, contextOf(id), sealed).toString()) // written by `sealOf`
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

/** Binds the sealed part to its row. */
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
