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
 * The outbox: mail is a row that commits with its cause or not at all, and workers send it later. A
 * request waits for no mail server. docs/adr/0058
 */
export interface Outbox {
  /** Whether mail can be sent, or in development written to files: see `mailUnavailable`. */
  readonly isAvailable: boolean
  /**
   * Adds exactly one row, so that a caller sees no difference between addresses: a decoy, and a
   * mail over a limit of its address or account, is a row that is never sent. Answers its id.
   * @throws ApiError tooManyRequests for a client that has asked too often, whatever the address
   */
  add<Name extends MessageName>(trx: DatabaseOrTransaction, mail: NewMail<Name>): Promise<string>
  /** Called after a commit that has added a mail: the worker of this process looks at once. */
  onAdded(listener: () => void): void
  /** Has the worker of this process look at once. */
  wake(): void
}

export interface NewMail<Name extends MessageName> {
  readonly message: Name
  /**
   * An account, whose verified address is read in this transaction, or an address that is stored
   * (never the one that was typed, if an account has it). An address of null is a decoy.
   */
  readonly to: MailRecipient
  /** The id of the confirmation whose link and code the message has. */
  readonly confirmation?: string | null
  /** The flow that asks for it, in which the code counts. Each has its own limit of a minute. */
  readonly flow?: string | null
  readonly facts: MessageFacts[Name]
  /** If the account has none of its own. */
  readonly language: Language
  /** When the mail is worth nothing any more, in epoch milliseconds; three days for a notice. */
  readonly expiresAt?: number
  readonly isDecoy?: boolean
  /** Whether the limits of an hour, of the address and the account, do not hold it back. */
  readonly isBeyondHours?: boolean
  /** Whether it is the one mail that reports a reached limit of notices. */
  readonly isExtra?: boolean
  readonly priority?: number
  /** The address of the client that asks for it, by the rules of limits. */
  readonly client?: string
}

export type MailRecipient =
  | { readonly userId: number; readonly address?: undefined }
  | { readonly address: EmailAddress | null; readonly userId?: number | null }

/** The limits of mail that anyone may cause; of clients and the relay see the settings. */
export const mailLimits = {
  /** One message of a name to an address, for each flow: a minute. */
  sameMessageMs: 60_000,
  /**
   * All messages to an address: an hour. Beyond this and the next limit, one message of each name is
   * sent that has a link.
   */
  perAddress: 5,
  /** All messages to an account, over its addresses: an hour. */
  perAccount: 10,
  windowMs: 3_600_000,
} as const

/** Notices that are sent even to an undeliverable address: the owner has no other way back. */
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
      // A decoy without an address has limits of its own, so that it costs the same.
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
    // Read in any case, so that a decoy costs the same.
    const account = await outboxStore(trx).recipient(userId ?? 0)
    if (to.address === undefined) return { ...account, userId }
    return { ...account, userId, address: to.address }
  }

  /** Of the person whose account it is; a request takes the same statements if it is for none. */
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
   * Whether the address or the account may get the mail, after those of the last minute and of the
   * last hour; `extra`: as the one that passes a limit. @throws ApiError tooManyRequests
   */
  async function checkLimits(
    trx: DatabaseOrTransaction,
    { message, confirmation, flow, recipient: { userId }, isBeyondHours, ...of }: Limited,
  ): Promise<'yes' | 'extra' | 'no'> {
    const { addressIndex, clientIndex } = of
    // Two requests at once count each other.
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
    // Strangers who ask for other mail keep no owner from a link. One is enough: it counts.
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

/** Refuses what needs mail where there is none. @throws ApiError mailUnavailable */
export function assertMail(outbox: Pick<Outbox, 'isAvailable'>): void {
  if (!outbox.isAvailable) throw new ApiError(mailUnavailable, { reason: { code: 'mail_off' } })
}
