import { hostname } from 'node:os'
import { packageVersion } from '../../core/config/version.ts'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { transact } from '../../core/database/transactions.ts'
import type { RecordedEvent } from '../../core/events/events.ts'
import type { Deps } from '../../core/runtime/deps.ts'
import type { MasterKeyConfig } from '../keys/master-key.ts'
import { createChains } from './chains.ts'
import { auditRecordsLost } from './events.ts'
import type { Entry } from './make-record.ts'
import { createEventQueue, type EventQueue, type EventQueueDeps } from './queue.ts'
import { auditStore } from './store.ts'
import type { SubjectKeys } from './subject-keys.ts'
import { ulid } from './ulid.ts'
import { createRecordWriter, type RecordWriter, type RecordWriterDeps } from './writer.ts'

export interface Audit extends Pick<EventQueue, 'refused' | 'run' | 'state'> {
  /** Logs failures. */
  flush(): Promise<void>
  /** Closes unused chains, also of killed processes. */
  closeLeft(): Promise<void>
  readonly closing: RecordWriter['closing']
  /** Drops keys of erased persons from memory. */
  forget(pseudonyms: readonly string[]): void
  /** Also used to seal other data of the person. */
  readonly subjectKeys: Pick<SubjectKeys, 'of' | 'evenlyOf'>
  /** `at`: time of the oldest record. */
  onCommitted(committed: (count: number, at: number) => void): void
  /** Records waiting events and closes the chains. Logs failures. */
  close(): Promise<void>
}

export interface AuditDeps extends Pick<Deps, 'clock' | 'db' | 'events' | 'log' | 'random'> {
  readonly config: MasterKeyConfig
  readonly inserted?: NonNullable<RecordWriterDeps['inserted']>
}

const idleMs = 3_600_000
// Longer than `idleMs`, because clocks of nodes differ.
const abandonedMs = 2 * idleMs
const closeBatch = 100

/** docs/adr/0050 */
export function createAudit(deps: AuditDeps): Audit {
  const { clock, db, events, log, random } = deps
  const writer = { instance: `${hostname()}/${process.pid}`, version: packageVersion() }
  let committed: (count: number, at: number) => void = () => {}
  const records = createRecordWriter({
    ...{ ...deps, writer },
    committed: (count, at) => committed(count, at),
  })
  const ofChanges = createChains({ clock, random })
  // Keeps the times of each chain in order.
  const ofEvents = createChains({ clock, random })
  const queue = createEventQueue({
    clock,
    random,
    write: createWrite(db, (trx, entry) => records.add(trx, ofEvents, entry)),
    hasLost: (count) => events.emit(auditRecordsLost, { count }),
    failed: (error) => log.error({ err: error }, 'events wait for the database'),
    dropped: (types, error) => {
      log.error({ err: error, types }, 'the audit log refuses events that wait: they are lost')
    },
  })
  events.attach({
    record: (trx, event) => records.add(trx, ofChanges, entryOf(event)),
    enqueue: queue.enqueue,
  })

  function entryOf(event: RecordedEvent): Entry {
    return { id: ulid(event.at, random), event, ...event.refusal }
  }

  async function leave(before: number): Promise<void> {
    const left = [...ofChanges.leave(before), ...ofEvents.leave(before)]
    await auditStore(db).closeChains(left, clock.now())
  }

  async function flush(): Promise<void> {
    try {
      await queue.flush()
    } catch (error) {
      const { waiting } = queue.state()
      log.error({ err: error, events: waiting }, 'events were not recorded in the audit log')
    }
  }

  return {
    refused: queue.refused,
    run: queue.run,
    state: queue.state,
    flush,
    closing: records.closing,
    forget: records.forget,
    subjectKeys: records.subjectKeys,

    onCommitted(given) {
      committed = given
    },

    async closeLeft() {
      const now = clock.now()
      await leave(now - idleMs)
      await auditStore(db).closeLeft(now - abandonedMs, now, closeBatch)
    },

    async close() {
      await flush()
      await leave(Infinity).catch((error: unknown) => {
        log.warn({ err: error }, 'the chains of the audit log stay open')
      })
    },
  }
}

function createWrite(
  db: Database,
  add: (trx: DatabaseOrTransaction, entry: Entry) => void,
): EventQueueDeps['write'] {
  return (entries, mayBeThere) =>
    transact(db, [], async (trx) => {
      const made = entries.map(({ id, event: { at } }) => ({ id, at }))
      const there = mayBeThere ? await auditStore(trx).present(made) : new Set<string>()
      for (const entry of entries) if (!there.has(entry.id)) add(trx, entry)
    })
}
