import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { deleteExpired } from '../../core/database/purge.ts'
import { lockName, takeExclusiveLocks } from '../../core/database/transactions.ts'
import type { InsideSink, RecordedEvent } from '../../core/events/events.ts'
import type { Language } from '../../core/lib/languages.ts'
import type { Needs } from '../../core/module/services.ts'
import { type Origin, originNow } from '../../modules/devices/origin.ts'
import { seal, unseal } from '../../modules/keys/seal.ts'
import type { Actor, MessageFacts, NoticeType } from './message-types.ts'

/**
 * Notices to the owner of an account. Each is a row, plus a mail to the verified address and to
 * each address that can still undo an address change; all commit with the reported change.
 */
export interface Notices {
  readonly sink: InsideSink
  /** The last 30 days, newest first, at most 500. */
  of(userId: number): Promise<Notice[]>
  /** Deletes up to `batchSize` older notices; returns the count. */
  purge(batchSize: number): Promise<number>
}

export interface Notice {
  readonly type: NoticeType
  /** Epoch milliseconds. */
  readonly at: number
  readonly facts: StoredFacts
}

interface StoredFacts {
  readonly by: Actor
  readonly origin: Omit<Origin, 'at'>
  /** Of `account_event`. */
  readonly event?: string
  readonly words?: Readonly<Record<Language, string>>
  readonly left?: number
  readonly provider?: string
  readonly keyId?: string
  readonly endsAt?: number
  readonly until?: number
  readonly during?: 'reset'
  readonly linked?: readonly string[]
}

const dayMs = 86_400_000
const keptMs = 30 * dayMs
const maxShown = 400
// Anyone can lock an account by guessing, which must not push other notices out of the list.
const maxLocksShown = 100

/**
 * Mailed notices per type and day: an attacker with the password could flood the owner's mailbox.
 * One more mail reports the limit. Notices with an undo link are mailed elsewhere, without limit.
 */
const maxMails = 20
/** Anyone can cause locks. */
const maxLockMails = 1

export function createNotices(
  deps: Pick<
    Needs,
    'asyncCommitDb' | 'clock' | 'config' | 'confirmations' | 'db' | 'keys' | 'outbox' | 'random'
  >,
): Notices {
  const { config, db, asyncCommitDb, clock, confirmations, random, keys, outbox } = deps

  return {
    async sink(trx, event) {
      const { message, isMailed = true, isOf, to = 'user_id' } = event.type.notice ?? {}
      if (isOf?.(event.payload) === false) return
      const type = (message ?? 'account_event') as NoticeType // a test compares them
      const userId = event.payload[to]
      if (typeof userId !== 'number') return
      const account = await accountOf(trx, userId)
      if (!account) return // being deleted
      const facts = factsOf(type, userId, event, account.issuers)
      await trx
        .insertInto('notices')
        .values({ user_id: userId, type, at: event.at, sealed: sealed(userId, facts) })
        .execute()
      if (!outbox.isAvailable || !isMailed || account.verified_email === null) return
      const mailed = await mailsOfDay(trx, { userId, type, at: event.at })
      // Only a reader of the mailbox can cause a lock at a reset; other lock mails must not
      // suppress its mail.
      if (type === 'locked' && !facts.during && mailed.notices >= maxLockMails) return
      const isLast = mailed.notices >= maxMails
      if (isLast && mailed.hasLast) return
      const origin = { ...facts.origin, at: event.at }
      const told = { ...facts, origin, username: account.username, ...(isLast && { isLast }) }
      const mail = {
        message: type,
        facts: told as unknown as MessageFacts[typeof type],
        language: config.pages.language,
        isExtra: isLast,
      }
      if (account.undeliverable_at === null) await outbox.add(trx, { ...mail, to: { userId } })
      // The owner can still undo the change and must see what the attacker does.
      for (const { address } of await confirmations.openOf(trx, userId, 'email_undo')) {
        await outbox.add(trx, { ...mail, to: { address, userId } })
      }
    },

    async of(userId) {
      const recent = db
        .selectFrom('notices')
        .select(['id', 'type', 'at', 'sealed'])
        .where('user_id', '=', userId)
        .where('at', '>', clock.now() - keptMs)
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
      const locks = await recent.where('type', '=', 'locked').limit(maxLocksShown).execute()
      const others = await recent.where('type', '!=', 'locked').limit(maxShown).execute()
      const rows = [...locks, ...others].sort((a, b) => b.at - a.at || b.id - a.id)
      return rows.map(({ type, at, sealed: text }) => ({
        type: type as NoticeType,
        at,
        facts: JSON.parse(unseal(keys.dataKey, contextOf(userId), text).toString()),
      }))
    },

    purge: (batchSize) =>
      deleteExpired(
        asyncCommitDb,
        { table: 'notices', key: 'id', column: 'at', until: clock.now() - keptMs },
        batchSize,
      ),
  }

  function sealed(userId: number, facts: StoredFacts): string {
    return seal(random, keys.dataKey, contextOf(userId), Buffer.from(JSON.stringify(facts)))
  }

  function factsOf(
    type: NoticeType,
    userId: number,
    { payload, context, at, type: { name, words } }: RecordedEvent,
    issuers: readonly string[],
  ): StoredFacts {
    const by = type === 'locked' ? 'service' : actorOf(context.by, userId)
    const isOwn = by === 'owner' || type === 'locked'
    const { address, device } = originNow(at)
    // Hide an administrator's address and device from the owner.
    const origin = isOwn ? { address, device } : { address: null, device: null }
    const { during, left, issuer, key_id, expires_at } = payload
    return {
      by,
      origin,
      ...(type === 'account_event' && { event: name, words }),
      ...(typeof left === 'number' && { left }),
      ...(type === 'key_expiring' && {
        keyId: String(key_id),
        endsAt: Date.parse(String(expires_at)),
      }),
      ...(typeof issuer === 'string' && { provider: providerOf(issuer) }),
      ...(type === 'locked' && { until: at + config.login.lock.seconds * 1000 }),
      ...(during === 'reset' && { during }),
      // These providers can still sign in.
      ...(type === 'password_changed' && issuers.length > 0 && { linked: issuers.map(providerOf) }),
    }
  }

  /** The provider's name; the issuer if no longer configured. */
  function providerOf(issuer: string): string {
    return config.providers.find((provider) => provider.issuer === issuer)?.name ?? issuer
  }
}

async function accountOf(trx: DatabaseOrTransaction, userId: number) {
  const rows = await trx
    .selectFrom('accounts')
    .leftJoin('identities', 'identities.user_id', 'accounts.user_id')
    .select(['username', 'verified_email', 'undeliverable_at', 'issuer'])
    .where('accounts.user_id', '=', userId)
    .orderBy('identities.id')
    .execute()
  const [account] = rows
  return account ? { ...account, issuers: rows.flatMap(({ issuer }) => issuer ?? []) } : null
}

/**
 * Mailed notices of a type in the last day, and whether a mail has reported the limit. A notice to
 * several addresses counts once. Takes a lock, so that concurrent changes are counted.
 */
async function mailsOfDay(
  trx: DatabaseOrTransaction,
  { userId, type, at }: { readonly userId: number; readonly type: string; readonly at: number },
): Promise<{ readonly notices: number; readonly hasLast: boolean }> {
  await takeExclusiveLocks(trx, lockName.mail(`notices of ${userId}`))
  const rows = await trx
    .selectFrom('mails')
    .select((eb) => ['is_extra', eb.fn.countAll<number>().as('total')])
    .where('user_id', '=', userId)
    .where('created_at', '>', at - dayMs)
    .where('message', '=', type)
    .groupBy(['address_index', 'is_extra'])
    .execute()
  const notices = rows.filter(({ is_extra }) => is_extra === 0)
  return {
    notices: Math.max(0, ...notices.map(({ total }) => Number(total))),
    hasLast: notices.length < rows.length,
  }
}

function actorOf(by: string | null, userId: number): Actor {
  if (by === null || by === String(userId)) return 'owner'
  if (by === 'cli') return 'operator'
  return by === 'job' || by === 'bootstrap' ? 'service' : 'administrator'
}

function contextOf(userId: number): string {
  return `notice of ${userId}`
}
