import { parseEmail } from '../../core/addresses/email.ts'
import { randomText } from '../../core/crypto/random.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { DatabaseUnavailable } from '../../core/database/errors.ts'
import { deleteExpired } from '../../core/database/purge.ts'
import { transact } from '../../core/database/transactions.ts'
import type { Needs } from '../../core/module/services.ts'
import { backOffMs } from '../../core/queue/back-off.ts'
import type { Circuit } from './circuit.ts'
import type { OutgoingMail } from './compose.ts'
import { mailExpired, mailFailed, mailSent, mailUndeliverable } from './events.ts'
import {
  type MessageFacts,
  type MessageName,
  messagePaths,
  priorities,
  type Render,
} from './message-types.ts'
import { mailResults } from './monitoring.ts'
import { type FinalState, type LeasedMail, mailStore } from './queue.ts'
import { createSealedMail, type MailContent } from './sealed-mail.ts'
import { heldBack } from './shares.ts'
import { type Delivery, RelayUnavailable } from './smtp.ts'
import type { Transport, TransportSession } from './transport.ts'

export type MailWorkerDeps = Pick<
  Needs,
  | 'asyncCommitDb'
  | 'clock'
  | 'config'
  | 'db'
  | 'events'
  | 'keys'
  | 'log'
  | 'measurements'
  | 'random'
> & {
  readonly confirmations: Pick<Needs['confirmations'], 'secretsOf'>
  readonly render: () => Promise<Render>
  readonly circuit: Circuit
  /** Null: mail is off. */
  readonly transport: Transport | null
}

const retryDelaysMs = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000]
const lanes = 4
const maxLostInARow = 3
const minuteMs = 60_000
/** Every fourth lease starts at another priority, in turn: urgent mail cannot starve the rest. */
const fairEvery = 4
const keptMs = 30 * 86_400_000

/** Any number of workers share the work. docs/adr/0058, 0083 */
export function createMailWorker(deps: MailWorkerDeps) {
  const { asyncCommitDb, circuit, clock, config, db, events, measurements, random, transport } =
    deps
  const sealedMail = createSealedMail(deps)
  const newOwner = () => randomText(random, 12)
  let lostInARow = 0
  let leases = 0

  return {
    async run(stop?: AbortSignal): Promise<void> {
      if (transport === null || circuit.isOpen()) return
      const count = circuit.isDoubtful() ? 1 : lanes
      let hasFailed = false
      const isOver = () => hasFailed || circuit.isOpen() || stop?.aborted === true
      const runs = Array.from({ length: count }, () =>
        sendDue(transport, isOver).catch((error: unknown) => {
          hasFailed = true
          throw error
        }),
      )
      // Each lane ends its mail before an error is thrown: a stop would close the database under it.
      await Promise.allSettled(runs)
      await Promise.all(runs)
    },

    /** Null if the mail was not waiting, or another worker has it. */
    async sendNow(id: string): Promise<Delivery | null> {
      if (transport === null) return null
      const mail = await mailStore(db).lease({ owner: newOwner(), now: clock.now(), id })
      if (!mail) return null
      const sender = createSender(transport)
      try {
        return await sender.send(mail)
      } finally {
        sender.close()
      }
    },

    /** Also wipes what cannot be sent any more. Returns the count. */
    async expire(batchSize: number): Promise<number> {
      const over = await transact(db, [], async (trx) => {
        const ended = await mailStore(trx).expire(clock.now(), batchSize)
        for (const { id, message, state, user_id } of ended) {
          if (state === 'expired')
            await events.emitInTransaction(trx, mailExpired, { mail: id, message, user_id })
        }
        return ended
      })
      for (const { state } of over) if (state === 'expired') count('expired')
      return over.length + (await mailStore(db).capDelays(clock.now(), batchSize))
    },

    /** Deletes up to `batchSize` rows older than 30 days. Returns the count. */
    purge: (batchSize: number): Promise<number> =>
      deleteExpired(
        asyncCommitDb,
        { table: 'mails', key: 'id', column: 'created_at', until: clock.now() - keptMs },
        batchSize,
      ),
  }

  /** Sends sequentially over one connection. */
  async function sendDue(to: Transport, isOver: () => boolean): Promise<void> {
    const sender = createSender(to)
    try {
      while (!isOver()) {
        const mail = await lease()
        if (!mail) return
        await sender.send(mail)
      }
    } finally {
      sender.close()
    }
  }

  /** Opens the connection for the first mail. */
  function createSender(to: Transport) {
    let session: TransportSession | undefined
    return {
      close: () => session?.close(),

      async send(row: LeasedMail): Promise<Delivery | null> {
        const ready = await prepare(row).catch((error: unknown) => putBack(row, error))
        if (!ready) return null
        if ('state' in ready) {
          await finish(row, ready.state, ready.response)
          return null
        }
        const delivery = withoutAddress(await attempt(ready.mail), ready.content.address)
        await settle(row, ready.content, delivery)
        return delivery
      },
    }

    async function attempt(mail: OutgoingMail): Promise<Delivery> {
      try {
        session ??= await to.open()
      } catch (error) {
        if (!(error instanceof RelayUnavailable)) throw error
        return { kind: 'unavailable', response: error.message }
      }
      const delivery = await session.send(mail)
      if (delivery.kind !== 'sent') session = undefined
      return delivery
    }
  }

  async function lease(): Promise<LeasedMail | null> {
    const now = clock.now()
    const max = config.mail.maxPerMinute
    const store = mailStore(db)
    // Ignores future times from a clock that was ahead: they would delay all mail.
    const sent = max > 0 && (await store.sentBetween(now - minuteMs, now + minuteMs))
    const held = sent ? heldBack(sent, max) : []
    const any = { owner: newOwner(), now, heldBack: held }
    const fromPriority = nextPriority()
    const fair = fromPriority > 0 ? await store.lease({ ...any, fromPriority }) : null
    return fair ?? store.lease(any)
  }

  function nextPriority(): number {
    leases += 1
    if (leases % fairEvery > 0) return 0
    return priorities[(leases / fairEvery) % priorities.length] ?? 0
  }

  type Ready =
    | { readonly mail: OutgoingMail; readonly content: MailContent }
    | { readonly state: FinalState; readonly response: string }

  /** Generates new secrets per attempt; never stored. */
  async function prepare(row: LeasedMail): Promise<Ready> {
    if (row.expires_at <= clock.now()) return { state: 'expired', response: 'it was too late' }
    const key = (await sealedMail.keysOf(db, [row])).get(row.id)
    if (!key) return { state: 'cancelled', response: 'the key of its person was erased' }
    const content = openedContent(row, key)
    if (!content) return { state: 'failed', response: 'the row does not open with its key' }
    if (parseEmail(content.address)?.address !== content.address) {
      return { state: 'failed', response: 'the address is not valid' }
    }
    const { confirmation, flow } = row
    const secrets =
      confirmation === null ? undefined : await deps.confirmations.secretsOf(confirmation, flow)
    if (secrets === null) return { state: 'cancelled', response: 'its link counts no more' }
    const message = row.message as MessageName
    const { baseUrl } = config
    const path = messagePaths[message]
    const render = await deps.render()
    const rendered = render(message, content.facts as MessageFacts[MessageName], content.language, {
      name: config.pages.name,
      baseUrl,
      ...(secrets && {
        ...(path && { link: `${baseUrl}${path}?token=${encodeURIComponent(secrets.token)}` }),
        code: secrets.code,
        expiresAt: secrets.expiresAt,
      }),
    })
    const { address, language } = content
    const mail = { id: row.id, address, message: rendered, at: row.created_at, language }
    return { mail, content }
  }

  /** A mail that cannot be written waits and does not block the queue. */
  async function putBack(row: LeasedMail, error: unknown): Promise<null> {
    if (error instanceof DatabaseUnavailable) throw error
    deps.log.error({ err: error, mail: row.id, message: row.message }, 'a mail was not written')
    await wait(row, 'it could not be written')
    return null
  }

  async function wait(row: LeasedMail, response: string): Promise<void> {
    count('deferred')
    const dueAt = clock.now() + backOffMs(random, retryDelaysMs, row.attempts)
    await mailStore(db).retry(row, dueAt, { response })
  }

  function openedContent({ id, sealed }: LeasedMail, key: Uint8Array): MailContent | null {
    try {
      return sealed === null ? null : sealedMail.open(id, sealed, key)
    } catch {
      return null
    }
  }

  async function settle(row: LeasedMail, content: MailContent, delivery: Delivery): Promise<void> {
    const { kind, response } = delivery
    lostInARow = kind === 'deferred' && delivery.isLost ? lostInARow + 1 : 0
    // Opens the circuit only after several lost mails in a row: a single mail can cause one.
    if (kind === 'unavailable' || lostInARow >= maxLostInARow) circuit.failed(response)
    else if (kind !== 'deferred' || !delivery.isLost) circuit.succeeded()
    if (kind === 'sent') return finish(row, 'sent', response, content)
    if (kind === 'refused') {
      return finish(row, 'failed', response, delivery.isAddress ? content : undefined)
    }
    if (kind === 'deferred') return wait(row, response)
    await mailStore(db).retry(row, clock.now(), { attempts: row.attempts - 1, response })
  }

  /** `content`: proves that the mailbox exists, or not. */
  async function finish(
    row: LeasedMail,
    state: FinalState,
    response: string,
    content?: MailContent,
  ): Promise<void> {
    const now = clock.now()
    const ended = await transact(db, [], async (trx) => {
      const end = { state, response, finished_at: now }
      // An administrator can resend a failed mail until it expires.
      const isOurs = await mailStore(trx).end(row, {
        ...end,
        ...(state !== 'failed' && { sealed: null }),
      })
      if (!isOurs) return false
      const fields = { mail: row.id, message: row.message, user_id: row.user_id }
      if (state === 'sent') await events.emitInTransaction(trx, mailSent, fields)
      if (state === 'expired') await events.emitInTransaction(trx, mailExpired, fields)
      if (state === 'failed')
        await events.emitInTransaction(trx, mailFailed, { ...fields, answer: response })
      if (content) await mark(trx, row.user_id, content, state === 'failed' ? response : null)
      return true
    })
    if (ended) count(state)
  }

  async function mark(
    trx: DatabaseOrTransaction,
    userId: number | null,
    { address }: MailContent,
    reason: string | null,
  ): Promise<void> {
    const key = parseEmail(address)?.key
    if (userId === null || key === undefined) return
    const marked = reason === null ? null : { at: clock.now(), reason }
    const isNew = await mailStore(trx).setUndeliverable(userId, key, marked)
    if (isNew && reason !== null) {
      await events.emitInTransaction(trx, mailUndeliverable, { user_id: userId, answer: reason })
    }
  }

  function count(result: FinalState | 'deferred'): void {
    measurements.of(mailResults).add([result])
  }
}

export type MailWorker = ReturnType<typeof createMailWorker>

/** Servers often repeat the address in responses. */
function withoutAddress(delivery: Delivery, address: string): Delivery {
  const named = address.toLowerCase()
  let { response } = delivery
  for (;;) {
    const at = response.toLowerCase().indexOf(named)
    if (at < 0) return { ...delivery, response }
    response = `${response.slice(0, at)}(address)${response.slice(at + named.length)}`
  }
}
