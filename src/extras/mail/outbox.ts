import { throttledAddress } from '../../core/addresses/address.ts'
import type { EmailAddress } from '../../core/addresses/email.ts'
import { derivedKey, keyedDigest } from '../../core/crypto/digest.ts'
import { randomText } from '../../core/crypto/random.ts'
import { afterCommit } from '../../core/database/commit.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { lockName, takeExclusiveLocks } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import type { Language } from '../../core/lib/languages.ts'
import type { Needs } from '../../core/module/services.ts'
import { originNow } from '../../modules/devices/origin.ts'
import { type MessageFacts, type MessageName, messageTypes } from './message-types.ts'
import { mailUnavailable } from './problems.ts'
import { dueOfNew } from './queue.ts'
import { createSealedMail } from './sealed-mail.ts'
import { outboxStore, type Recipient } from './store.ts'

/**
 * Transactional outbox: mail is a row that commits with its cause; workers send it later.
 * docs/adr/0058
 */
export interface Outbox {
  /** Whether mail can be sent, or written to files in development. */
  readonly isAvailable: boolean
  /**
   * Always adds one row, so that callers cannot distinguish addresses: a decoy or a mail over a
   * limit is a row that is never sent. Returns the id. @throws ApiError tooManyRequests by client
   * limits, independent of the address
   */
  add<Name extends MessageName>(trx: DatabaseOrTransaction, mail: NewMail<Name>): Promise<string>
  /** Called after a commit that added mail. */
  onAdded(listener: () => void): void
  wake(): void
}

export interface NewMail<Name extends MessageName> {
  readonly message: Name
  /**
   * An account, whose verified address is read in this transaction, or a stored address (never a
   * typed address, if an account has it). A null address is a decoy.
   */
  readonly to: MailRecipient
  readonly confirmation?: string | null
  /** The flow that accepts the code. Each flow has its own limit per minute. */
  readonly flow?: string | null
  readonly facts: MessageFacts[Name]
  readonly language: Language
  /** When the mail becomes useless, epoch milliseconds; default for notices: three days. */
  readonly expiresAt?: number
  readonly isDecoy?: boolean
  /** Exempt from the hourly limits. */
  readonly isBeyondHours?: boolean
  readonly isExtra?: boolean
  readonly priority?: number
  readonly client?: string
}

export type MailRecipient =
  | { readonly userId: number; readonly address?: undefined }
  | { readonly address: EmailAddress | null; readonly userId?: number | null }

/** Limits for mail that anyone can trigger; clients and relay: see the settings. */
export const mailLimits = {
  /** Same message, address and flow. */
  sameMessageMs: 60_000,
  /** Hourly. Beyond this and the next limit, one message of each name that has a link is sent. */
  perAddress: 5,
  /** Hourly, over all its addresses. */
  perAccount: 10,
  windowMs: 3_600_000,
} as const

/** Sent even to an undeliverable address: the owner has no other way back. */
const isTriedAnyway: ReadonlySet<MessageName> = new Set([
  'deletion_requested',
  'deletion_requested_former',
  'test',
])
const noticeMs = 3 * 86_400_000
const idBytes = 16

export function createOutbox({
  config,
  clock,
  random,
  keys,
  audit,
}: Pick<Needs, 'audit' | 'clock' | 'config' | 'keys' | 'random'>): Outbox {
  const sealedMail = createSealedMail({ keys, random })
  const clientKey = derivedKey(keys.dataKey, 'clients that ask for mail')
  const listeners: (() => void)[] = []
  const isAvailable = config.mail.isOn

  return {
    isAvailable,

    async add(trx, mail) {
      const { message, confirmation = null, flow = null, facts, client } = mail
      const { kind, priority } = messageTypes[message]
      const now = clock.now()
      const id = randomText(random, idBytes)
      const clientIndex = client === undefined ? null : indexOfClient(client)
      const recipient = await recipientOf(trx, mail)
      // A decoy without an address gets its own limits: equal cost.
      const addressIndex = sealedMail.indexOf(recipient.address?.key ?? id)
      const { isBeyondHours = false, isExtra = false } = mail
      const admitted =
        kind === 'request'
          ? await checkLimits(trx, {
              message,
              confirmation,
              flow,
              recipient,
              addressIndex,
              clientIndex,
              isBeyondHours,
            })
          : isExtra
            ? 'extra'
            : 'yes'
      const language = recipient.language ?? mail.language
      const key = await personKeyOf(trx, recipient.userId, kind)
      const content = {
        address: recipient.address?.address ?? '',
        language,
        facts: { origin: originNow(now), ...facts },
      }
      const sealed = sealedMail.seal(id, content, key)
      const isSent =
        isAvailable &&
        admitted !== 'no' &&
        !mail.isDecoy &&
        recipient.address !== null &&
        (kind === 'request' || isTriedAnyway.has(message) || !recipient.isUndeliverable)
      await outboxStore(trx).insert({
        id,
        message,
        kind,
        state: isSent ? 'waiting' : 'dropped',
        user_id: recipient.userId,
        confirmation,
        sealed: isSent ? sealed : null,
        address_index: addressIndex,
        client_index: clientIndex,
        priority: mail.priority ?? priority,
        ...dueOfNew(now, key !== undefined),
        expires_at: mail.expiresAt ?? now + noticeMs,
        created_at: now,
        finished_at: isSent ? null : now,
        flow,
        is_extra: admitted === 'extra' ? 1 : 0,
      })
      if (isSent) afterCommit(trx, wake)
      return id
    },

    wake,

    onAdded: (listener) => void listeners.push(listener),
  }

  function wake(): void {
    for (const listener of listeners) listener()
  }

  async function recipientOf(
    trx: DatabaseOrTransaction,
    { to }: { readonly to: MailRecipient },
  ): Promise<Recipient> {
    const userId = to.userId ?? null
    // Always read: equal cost for a decoy.
    const account = await outboxStore(trx).recipient(userId ?? 0)
    if (to.address === undefined) return { ...account, userId }
    return { ...account, userId, address: to.address }
  }

  /** Runs the same statements for a request without an account. */
  async function personKeyOf(
    trx: DatabaseOrTransaction,
    userId: number | null,
    kind: 'request' | 'notice',
  ): Promise<Uint8Array | undefined> {
    const { of, evenlyOf } = audit.subjectKeys
    const subject = userId === null ? [] : [String(userId)]
    const found = await (kind === 'request' ? evenlyOf : of)(trx, keys.dataKey, new Set(subject))
    return userId === null ? undefined : found.get(String(userId))?.key
  }

  interface Limited {
    readonly message: MessageName
    readonly confirmation: string | null
    readonly flow: string | null
    readonly recipient: Recipient
    readonly addressIndex: string
    readonly clientIndex: string | null
    readonly isBeyondHours: boolean
  }

  /**
   * Checks the limits of the last minute and hour; `extra`: allowed once beyond a limit. @throws
   * ApiError tooManyRequests
   */
  async function checkLimits(
    trx: DatabaseOrTransaction,
    { message, confirmation, flow, recipient: { userId }, isBeyondHours, ...of }: Limited,
  ): Promise<'yes' | 'extra' | 'no'> {
    const { addressIndex, clientIndex } = of
    // Locks, so that concurrent requests are counted.
    const names = [clientIndex ?? [], addressIndex, userId === null ? [] : `account ${userId}`]
    await takeExclusiveLocks(trx, ...names.flat().map(lockName.mail))
    const store = outboxStore(trx)
    const now = clock.now()
    const since = now - mailLimits.windowMs
    const max = config.mail.maxPerClient
    if (clientIndex !== null && max > 0) {
      const asked = await store.askedBy(clientIndex, since, max)
      const decisive = asked.at(max - 1)
      if (decisive !== undefined) throw tooMany(asked.length, decisive + mailLimits.windowMs, now)
    }
    const counts = await store.counts({
      message,
      flow,
      addressIndex,
      userId: userId ?? 0,
      since,
      sameSince: now - mailLimits.sameMessageMs,
    })
    if (counts.same >= 1) return 'no'
    const { perAddress, perAccount } = mailLimits
    const isWithinHours = counts.address < perAddress && counts.account < perAccount
    if (isBeyondHours || isWithinHours) return 'yes'
    // Strangers who request other mail must not block an owner's link. One is enough.
    return confirmation !== null && counts.extra === 0 ? 'extra' : 'no'
  }

  function tooMany(used: number, freesAt: number, now: number): ApiError {
    return new ApiError('tooManyRequests', {
      retryAfterSeconds: Math.max(1, Math.ceil((freesAt - now) / 1000)),
      reason: {
        code: 'limit_mail_of_client',
        facts: { used, max: config.mail.maxPerClient, frees_at: freesAt },
      },
    })
  }

  function indexOfClient(address: string): string {
    return keyedDigest(clientKey, throttledAddress(address))
  }
}

/** @throws ApiError mailUnavailable */
export function assertMail(outbox: Pick<Outbox, 'isAvailable'>): void {
  if (!outbox.isAvailable) throw new ApiError(mailUnavailable, { reason: { code: 'mail_off' } })
}
