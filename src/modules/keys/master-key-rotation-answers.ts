import { hostname } from 'node:os'
import { randomText } from '../../core/crypto/random.ts'
import { KeySetNotOpened } from '../../core/database/key-set-not-opened.ts'
import type { Needs } from '../../core/module/services.ts'
import { masterKeyRotationStore, type RotationRow } from './master-key-rotation-store.ts'

/** Answers rotations of the master key in a process of the service. */
export interface MasterKeyRotationAnswers {
  /** Runs every second: reads the changed files of the master key, and answers an open question. */
  follow(): Promise<void>
  reread(): Promise<void>
}

const tellEveryMs = 60_000

export function createMasterKeyRotationAnswers(
  deps: Pick<Needs, 'db' | 'feed' | 'clock' | 'keys' | 'random' | 'log'>,
): MasterKeyRotationAnswers {
  const { db, feed, clock, keys, random, log } = deps
  const { ring } = keys
  // Two containers can share host name and process id.
  const instance = `${hostname()}/${process.pid}/${randomText(random, 3)}`
  let seenFiles: string | undefined
  let seenVersion: number | undefined
  let rotation: RotationRow | undefined
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
