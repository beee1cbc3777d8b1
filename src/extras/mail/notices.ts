import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { deleteExpired } from '../../core/database/purge.ts'
import { lockName, takeExclusiveLocks } from '../../core/database/transactions.ts'
import type { InsideSink, RecordedEvent } from '../../core/events/events.ts'
import type { Needs } from '../../core/module/services.ts'
import { type Origin, originNow } from '../../modules/devices/origin.ts'
import { seal, unseal } from '../../modules/keys/seal.ts'
import type { Actor, MessageFacts, NoticeType } from './message-types.ts'

/**
 * The notices: what the owner of an account is told of it. Each is a row, for every account, and a
 * mail if the account has a verified address, and one to each address that can still take a change
 * of the address back; all commit with the change that they tell of.
 */
export interface Notices {
  /** Takes the events of `noticeEvents`. */
  readonly sink: InsideSink
  /** The notices of the last 30 days, the newest first: at most 500. */
  of(userId: number): Promise<Notice[]>
  /** Deletes up to `batchSize` older ones; answers how many. */
  purge(batchSize: number): Promise<number>
}

export interface Notice {
  readonly type: NoticeType
  /** Epoch milliseconds. */
  readonly at: number
  readonly facts: StoredFacts
}

/** What a notice says beside its type; each type has some of them. */
interface StoredFacts {
  readonly by: Actor
  readonly origin: Omit<Origin, 'at'>
  readonly left?: number
  readonly provider?: string
  readonly until?: number
  readonly during?: 'reset'
  readonly linked?: readonly string[]
}

/** Which notice an event is. Those without mail are mailed by the module that records the event. */
const noticeOf: Readonly<Record<string, { readonly type: NoticeType; readonly isMailed?: false }>> =
  {
    authn_login_new_device: { type: 'new_sign_in' },
    authn_password_change: { type: 'password_changed' },
    mfa_enrolled: { type: 'factor_added' },
    mfa_removed: { type: 'factor_removed' },
    mfa_codes_renewed: { type: 'recovery_codes_renewed' },
    mfa_recovery_code_used: { type: 'recovery_code_used' },
    identity_linked: { type: 'identity_linked' },
    identity_unlinked: { type: 'identity_unlinked' },
    authn_login_lock: { type: 'locked' },
    email_changed: { type: 'email_changed', isMailed: false },
    email_restored: { type: 'email_changed', isMailed: false },
    email_removed: { type: 'email_changed', isMailed: false },
    account_deletion_requested: { type: 'deletion_requested', isMailed: false },
    account_deletion_cancelled: { type: 'deletion_cancelled' },
  }

/** The names of the events that the sink takes. */
export const noticeEvents = Object.keys(noticeOf)

const dayMs = 86_400_000
const keptMs = 30 * dayMs
const maxShown = 400
// Anyone can lock an account by guesses, and must not push what else happened out of sight.
const maxLocksShown = 100

/**
 * The maximum of notices of a type that are mailed in a day: who has the password can cause them again
 * and again, and must not fill the mailbox of the owner. One more mail says that there is more. Notices
 * with a way back are mailed elsewhere, and always.
 */
const maxMails = 20
/** Of locks: anyone can cause them, and the owner has been told. */
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
      const { type, isMailed = true } = noticeOf[event.type.name] ?? {}
      const userId = event.payload.user_id
      if (!type || typeof userId !== 'number') return
      const account = await accountOf(trx, userId)
      if (!account) return // it is being deleted
      const facts = factsOf(type, event, account.issuers)
      await trx
        .insertInto('notices')
        .values({ user_id: userId, type, at: event.at, sealed: sealed(userId, facts) })
        .execute()
      if (!outbox.isAvailable || !isMailed || account.verified_email === null) return
      const mailed = await mailsOfDay(trx, { userId, type, at: event.at })
      // Only a reader of the mailbox can cause a lock at a reset. Other mails about locks must not suppress it.
      if (type === 'locked' && !facts.during && mailed.notices >= maxLockMails) return
      const isLast = mailed.notices >= maxMails
      if (isLast && mailed.hasLast) return
      const origin = { ...facts.origin, at: event.at }
      const told = { ...facts, origin, username: account.username, ...(isLast && { isLast }) }
      const mail = {
        message: type,
        facts: told as unknown as MessageFacts[typeof type], // `factsOf` gives each type its own
        language: config.pages.language,
        isExtra: isLast,
      }
      if (account.undeliverable_at === null) await outbox.add(trx, { ...mail, to: { userId } })
      // Who has changed the address must not act unseen by the owner, who can still take it back.
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
        type: type as NoticeType, // as the sink wrote it
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
    { payload, context, at }: RecordedEvent,
    issuers: readonly string[],
  ): StoredFacts {
    const by = type === 'locked' ? 'service' : actorOf(context.by, Number(payload.user_id))
    const isOwn = by === 'owner' || type === 'locked'
    const { address, device } = originNow(at)
    // The address and the device of an administrator are no business of the owner.
    const origin = isOwn ? { address, device } : { address: null, device: null }
    const { during, left, issuer } = payload
    return {
      by,
      origin,
      ...(typeof left === 'number' && { left }),
      ...(typeof issuer === 'string' && { provider: providerOf(issuer) }),
      ...(type === 'locked' && { until: at + config.login.lock.seconds * 1000 }),
      ...(during === 'reset' && { during }),
      // The owner learns which providers can still sign in to the account.
      ...(type === 'password_changed' && issuers.length > 0 && { linked: issuers.map(providerOf) }),
    }
  }

  /** The name of a provider in the settings; its issuer, if it is no longer among them. */
  function providerOf(issuer: string): string {
    return config.providers.find((provider) => provider.issuer === issuer)?.name ?? issuer
  }
}

/** What a sink needs of the account, with the issuers of its identities; null if there is none any more. */
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
 * How many notices of a type were mailed in the last day, and whether one has said that there is more.
 * A notice that goes to several addresses counts once. Two changes at once count each other.
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

/** @param by the caller of the event: see `EventContext` */
function actorOf(by: string | null, userId: number): Actor {
  if (by === null || by === String(userId)) return 'owner'
  if (by === 'cli') return 'operator'
  return by === 'job' || by === 'bootstrap' ? 'service' : 'administrator'
}

function contextOf(userId: number): string {
  return `notice of ${userId}`
}
