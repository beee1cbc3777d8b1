import { hostname } from 'node:os'
import type { Logger } from 'pino'
import { type Random, randomText } from '../../core/crypto/random.ts'
import type { ChangeFeed, Database } from '../../core/database/database.ts'
import { KeySetNotOpened } from '../../core/database/key-set-not-opened.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { KeySet } from './key-set.ts'
import { masterKeyRotationStore, type RotationRow } from './master-key-rotation-store.ts'

/** Follows rotations of the master key in a process of the service. */
export interface MasterKeyRotationAnswers {
  /**
   * Looks at the files of the master key, reads them anew after a change, and at the keys of the
   * database; answers what this process knows of the next key, if it is asked. Every second.
   */
  follow(): Promise<void>
  /** Reads the files anew at once. */
  reread(): Promise<void>
}

export interface MasterKeyRotationAnswersDeps {
  readonly db: Database
  readonly feed: Pick<ChangeFeed, 'isCurrent' | 'version'>
  readonly clock: Clock
  readonly keys: Pick<KeySet, 'refresh' | 'ring'>
  readonly random: Random
  readonly log: Pick<Logger, 'error' | 'info' | 'warn'>
}

const tellEveryMs = 60_000

export function createMasterKeyRotationAnswers(
  deps: MasterKeyRotationAnswersDeps,
): MasterKeyRotationAnswers {
  const { db, feed, clock, keys, random, log } = deps
  const { ring } = keys
  // Two containers can have one name of the host and one process id.
  const instance = `${hostname()}/${process.pid}/${randomText(random, 3)}`
  let seenFiles: string | undefined
  let seenVersion: number | undefined
  let rotation: RotationRow | undefined
  /** The rotation that was answered, and what. */
  let answered = ''
  let toldAt = Number.NEGATIVE_INFINITY
  let isOpen = true

  return {
    async follow() {
      const files = await ring.version()
      if (files !== seenFiles) {
        read()
        seenFiles = files
      }
      await open()
      await answer()
    },

    async reread() {
      read()
      await open()
      await answer()
    },
  }

  function read(): void {
    const isOther = ring.reread()
    for (const mistake of ring.mistakes()) log.warn(`${mistake}: it is not used`)
    if (isOther) log.info({ master_keys: ring.ids() }, 'the files of the master key were read anew')
  }

  async function open(): Promise<void> {
    try {
      await keys.refresh()
    } catch (error) {
      if (!(error instanceof KeySetNotOpened)) throw error
      const now = clock.now()
      if (isOpen || now - toldAt >= tellEveryMs) {
        toldAt = now
        log.error(
          { reason: error.message },
          'the key set does not open: give this node the next key',
        )
      }
      isOpen = false
      return
    }
    if (!isOpen) log.info('the key set opens again')
    isOpen = true
  }

  /** Tells the command that asks whether this process knows the next key. */
  async function answer(): Promise<void> {
    const version = feed.version()
    if (!feed.isCurrent() || version !== seenVersion)
      rotation = await masterKeyRotationStore(db).last()
    seenVersion = version
    if (!rotation || rotation.turned_at !== null) return
    const knows = ring.ids().includes(rotation.key_next)
    const state = `${rotation.id} ${knows}`
    if (state === answered) return
    await masterKeyRotationStore(db).answer(rotation.id, { instance, knows }, clock.now())
    answered = state
  }
}
