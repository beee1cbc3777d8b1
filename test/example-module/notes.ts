import { digest } from '../../src/core/crypto/digest.ts'
import { type Random, randomText } from '../../src/core/crypto/random.ts'
import type { Database } from '../../src/core/database/database.ts'
import { type Guard, transact } from '../../src/core/database/transactions.ts'
import type { Events } from '../../src/core/events/events.ts'
import {
  type ChangeConditions,
  changeAsSeen,
  goneMeanwhile,
} from '../../src/core/http/changes/resource.ts'
import type { Clock } from '../../src/core/lib/clock.ts'
import { decide } from '../../src/core/policy/decide.ts'
import type { Principal } from '../../src/core/policy/principal.ts'
import { all, any, owner, role, unlocked } from '../../src/core/policy/rules.ts'
import { noteWritten } from './events.ts'
import { noteNotFound } from './problems.ts'
import { type Note, noteStore } from './store.ts'

export const mayChange = any(owner, all(role('ADMIN'), unlocked))

export interface NotesDeps {
  readonly clock: Clock
  readonly db: Database
  readonly events: Events
  readonly random: Random
}

export type Notes = ReturnType<typeof createNotes>

export function createNotes({ clock, db, events, random }: NotesDeps) {
  return {
    byId: noteStore(db).byId,
    count: noteStore(db).count,

    create(ownerId: number, text: string, guard: Guard | undefined): Promise<Note> {
      const work = async (trx: Parameters<typeof noteStore>[0]) => {
        const note = await noteStore(trx).insert(ownerId, text, clock.now())
        await events.emitInTransaction(trx, noteWritten, {
          note_id: note.id,
          owner_id: note.ownerId,
        })
        return note
      }
      return transact(db, [], work, guard)
    },

    /** Changes a note. @throws ApiError noteNotFound, accessDenied, preconditionFailed */
    change(
      id: number,
      wanted: Partial<Pick<Note, 'text' | 'locked'>>,
      how: ChangeConditions<Note> & { readonly caller: Principal },
    ): Promise<Note> {
      const work = async (trx: Parameters<typeof noteStore>[0]) => {
        const store = noteStore(trx)
        const changed = await changeAsSeen(how, {
          lock: () => store.byIdForUpdate(id),
          async write(as) {
            if (decide(mayChange, how.caller, resourceOf(as)) !== true) return null
            const note = { ...as, ...wanted }
            return (await store.update(note, as)) ? note : null
          },
        })
        if (!changed) throw goneMeanwhile(noteNotFound)
        await events.emitInTransaction(trx, noteWritten, { note_id: id, owner_id: changed.ownerId })
        return changed
      }
      return transact(db, [], work, how.guard)
    },

    /** Creates a key for a device; only its digest is stored. */
    async makeKey(userId: number): Promise<string> {
      const key = randomText(random, 32)
      await noteStore(db).insertKey(digest(key), userId, clock.now())
      return key
    },
  }
}

export function resourceOf(note: Note | null) {
  return { ownerId: note ? String(note.ownerId) : null, locked: note?.locked ?? false }
}
