import { closeSync, existsSync, fsyncSync, openSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Random, randomText } from '../../core/crypto/random.ts'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { lockName, transact } from '../../core/database/transactions.ts'
import type { Events } from '../../core/events/events.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { masterKeyRotated } from './events.ts'
import {
  type MasterKeyConfig,
  makeNextOwnFile,
  masterKeyId,
  nextOwnFile,
  ownFile,
  readMasterKeys,
} from './master-key.ts'
import { type Answer, masterKeyRotationStore } from './master-key-rotation-store.ts'
import { createMasterRing, type MasterRing } from './master-ring.ts'
import { sealKey } from './sealed-key.ts'
import { keyStore, type SealedKey } from './store.ts'

/** The master key was not rotated; the key set is unchanged. */
export class NotRotated extends Error {}

export const nextWasInUse = 'the next key was in use before: make a new one'

/** Rotates the master key of a running service: `gatehouse keys rotate-master`. docs/adr/0068 */
export interface MasterKeyRotation {
  /**
   * Asks all processes for the next key and, if all know it, seals the key set under it. The next
   * call finishes a killed rotation. @throws NotRotated
   */
  rotate(options: RotateMasterKeyOptions): Promise<Rotated>
}

export interface RotateMasterKeyOptions {
  /** How long to wait for a process that does not know the next key yet. */
  readonly waitMs: number
  readonly asksOnly?: boolean
  /** The minimum number of answers. */
  readonly minProcesses?: number
}

export interface Rotated {
  /** `finished`: the key set was already sealed under the next key. */
  readonly state: 'asked' | 'turned' | 'finished'
  /** The short names of the keys. */
  readonly before: string
  readonly next: string
  readonly answers: readonly Answer[]
  /** Whether the service's own key file is replaced too. */
  readonly isInPlace: boolean
}

/** Seals or signs other rows again, in the transaction of the rotation. */
export type OnRotated = (
  trx: DatabaseOrTransaction,
  keys: { readonly before: Uint8Array; readonly next: Uint8Array; readonly at: number },
) => Promise<void>

export interface MasterKeyRotationDeps {
  readonly config: MasterKeyConfig
  readonly db: Database
  readonly clock: Clock
  readonly events: Events
  readonly random: Random
  readonly onRotated: OnRotated
}

/** Every process looks for a question once a second. */
const answerMs = 3000
const lookMs = 200
const idBytes = 12

export function createMasterKeyRotation(deps: MasterKeyRotationDeps): MasterKeyRotation {
  const { config, db, clock, events, random, onRotated } = deps
  const isOwn = !config.masterKey

  return {
    async rotate({ waitMs, asksOnly = false, minProcesses = 0 }) {
      const isOwnNext = isOwn && !config.nextMasterKey && !config.masterKeyFiles?.next
      if (isOwnNext && !asksOnly) makeNextOwnFile(config, random)
      const { keys, mistakes } = readMasterKeys({ config, random, mayCreate: false })
      const [mistake] = mistakes
      if (mistake !== undefined) throw new NotRotated(mistake)
      const [present, next] = keys
      if (!next) throw new NotRotated(noNextKey(isOwn))
      const ring = createMasterRing({ config, random, mayCreate: false })
      const sealing = ring.sealing(await keyStore(db).all())
      const named = { before: masterKeyId(present), next: masterKeyId(next) }
      const isInPlace = isOwnNext
      if (masterKeyId(sealing) === named.next) {
        if (isInPlace) putInPlace()
        return { state: 'finished', ...named, answers: [], isInPlace }
      }
      if (await masterKeyRotationStore(db).hasEnded(named.next)) {
        throw new NotRotated(nextWasInUse)
      }

      const id = randomText(random, idBytes)
      const asked = { id, key_before: named.before, key_next: named.next, asked_at: clock.now() }
      await transact(db, [lockName.keys], (trx) => masterKeyRotationStore(trx).ask(asked))
      const answers = await heard(id, waitMs)
      const ignorant = answers.filter(({ knows }) => !knows).map(({ instance }) => instance)
      const isHeard = ignorant.length === 0 && answers.length >= minProcesses
      if (asksOnly || !isHeard) await masterKeyRotationStore(db).giveUp(id)
      if (asksOnly) return { state: 'asked', ...named, answers, isInPlace: false }
      if (ignorant.length > 0) {
        throw new NotRotated(`these processes do not know the next key: ${ignorant.join(', ')}`)
      }
      if (!isHeard) {
        throw new NotRotated(`${answers.length} processes answered, ${minProcesses} were expected`)
      }
      try {
        await seal(id, ring, { before: sealing, next })
      } catch (error) {
        await masterKeyRotationStore(db).giveUp(id) // a rotation that has finished stays
        throw error
      }
      if (isInPlace) putInPlace()
      return { state: 'turned', ...named, answers, isInPlace }
    },
  }

  /** Waits at most `waitMs` until every process knows the key. */
  async function heard(turn: string, waitMs: number): Promise<Answer[]> {
    const askedAt = clock.now()
    for (;;) {
      await clock.wait(lookMs)
      const answers = await masterKeyRotationStore(db).answers(turn)
      const waited = clock.now() - askedAt
      if (waited >= answerMs && answers.every(({ knows }) => knows)) return answers
      if (waited >= Math.max(waitMs, answerMs)) return answers
    }
  }

  /** Seals all keys again in one transaction: one master key always opens all keys. */
  async function seal(
    id: string,
    ring: Pick<MasterRing, 'open' | 'sealing'>,
    { before, next }: { readonly before: Uint8Array; readonly next: Uint8Array },
  ): Promise<void> {
    await transact(db, [lockName.keys, lockName.auditCheckpoints], async (trx) => {
      const at = clock.now()
      if (!(await masterKeyRotationStore(trx).done(id, at))) {
        throw new NotRotated('another command has begun to turn the master key')
      }
      const opened = (await keyStore(trx).all()).map((key) => ({ key, material: ring.open(key) }))
      for (const { key, material } of opened) await replaceSeal(trx, key, { next, material })
      await onRotated(trx, { before, next, at })
      const names = { before: masterKeyId(before), key: masterKeyId(next) }
      await events.emitInTransaction(trx, masterKeyRotated, names)
    })
  }

  async function replaceSeal(
    trx: DatabaseOrTransaction,
    key: SealedKey,
    { next, material }: { readonly next: Uint8Array; readonly material: Uint8Array },
  ): Promise<void> {
    await masterKeyRotationStore(trx).seal(key.id, sealKey(random, next, key, material))
  }

  /**
   * Replaces the service's own file. After a kill before this step both files exist, and processes
   * know both keys.
   */
  function putInPlace(): void {
    const file = ownFile(config)
    if (!existsSync(nextOwnFile(config))) return
    renameSync(nextOwnFile(config), file)
    const folder = openSync(dirname(file), 'r')
    try {
      fsyncSync(folder)
    } finally {
      closeSync(folder)
    }
  }
}

function noNextKey(isOwn: boolean): string {
  return isOwn
    ? 'there is no next key yet: the command makes it without --check, or MASTER_KEY_NEXT_FILE holds it'
    : 'there is no next key: write it to MASTER_KEY_NEXT_FILE, or to the file of MASTER_KEY with `.next` at its end, on each node'
}
