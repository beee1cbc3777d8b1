import { digest } from '../../core/crypto/digest.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { UniqueViolation } from '../../core/database/errors.ts'
import { type Guard, lockName, transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import { goneMeanwhile } from '../../core/http/changes/resource.ts'
import { caseFold, withoutUnseen } from '../../core/lib/text.ts'
import type { Needs } from '../../core/module/services.ts'
import { accountIn } from '../../modules/accounts/accounts.ts'
import type { ValuesInput } from './check-values.ts'
import { profileChanged } from './events.ts'
import {
  type FieldReader,
  type FieldValue,
  type FieldValues,
  type FieldWriter,
  mayRead,
  type ProfileField,
} from './field.ts'
import { profileValueTaken } from './problems.ts'
import type { ProfileFields } from './profile-fields.ts'
import { profileStore, type StoredValue } from './store.ts'

export type Profiles = ReturnType<typeof createProfiles>

export interface ChangeProfile {
  readonly by: FieldWriter
  readonly guard?: Guard | undefined
  /** Throws to reject the change of what is there now. */
  readonly assertWanted?: ((current: FieldValues) => void) | undefined
}

type ProfilesDeps = Pick<Needs, 'db' | 'events'> & { readonly profileFields: ProfileFields }

/** The values of PROFILE_FILE's fields. docs/profile.md */
export function createProfiles({ db, events, profileFields }: ProfilesDeps) {
  return {
    fields: () => profileFields.now().fields,
    check: (...given: Parameters<ReturnType<ProfileFields['now']>['check']>) =>
      profileFields.now().check(...given),

    /** The values that the reader may see. */
    async of(userId: number, reader: FieldReader, trx: DatabaseOrTransaction = db) {
      return (await valuesOf(trx, [userId], reader)).get(userId) ?? {}
    },

    /** Of several accounts, for an administrator; those without values are absent. */
    ofMany: (trx: DatabaseOrTransaction, userIds: readonly number[]) =>
      valuesOf(trx, userIds, 'admin'),

    /**
     * Values that are not given stay; null removes a value. Returns what an administrator sees.
     * @throws ApiError validationFailed, profileValueTaken, accountNotFound
     */
    async change(
      userId: number,
      given: unknown,
      { by, guard, assertWanted }: ChangeProfile,
    ): Promise<FieldValues> {
      const wanted = profileFields.now().check(given, { by })
      const work = async (trx: DatabaseOrTransaction) => {
        if (!(await accountIn(trx, userId))) throw goneMeanwhile('accountNotFound')
        const before = (await valuesOf(trx, [userId], 'admin')).get(userId) ?? {}
        assertWanted?.(before)
        const changed = Object.keys(wanted).filter(
          (name) => wanted[name] !== (before[name] ?? null),
        )
        await store(trx, userId, wanted, changed)
        if (changed.length > 0) {
          const fields = changed.toSorted()
          await events.emitInTransaction(trx, profileChanged, { user_id: userId, fields })
        }
        return (await valuesOf(trx, [userId], 'admin')).get(userId) ?? {}
      }
      return transact(db, [lockName.account(userId)], work, guard)
    },

    /** In the transaction that makes the account. @throws ApiError profileValueTaken */
    storeNew: (trx: DatabaseOrTransaction, userId: number, values: ValuesInput) =>
      store(trx, userId, values, Object.keys(values)),

    /** The rows of the values. The key is null for a field that is not unique. */
    rowsOf: (userId: number, values: ValuesInput): readonly StoredValue[] =>
      Object.entries(values).flatMap(([field, value]) =>
        value === null
          ? []
          : [{ userId, field, value, uniqueKey: keyOf(fieldNamed(field), value) }],
      ),

    /**
     * Values that were written before their field became unique get their keys, and so do
     * duplicates whose value no other account holds any more; returns `batchSize` if more may
     * remain.
     */
    async addKeys(batchSize: number): Promise<number> {
      for (const field of profileFields.now().fields.filter(({ isUnique }) => isUnique)) {
        const rows = await profileStore(db).withoutKey(field.name, batchSize)
        for (const row of rows) await addKey(field, row.user_id, JSON.parse(row.value))
        if (rows.length > 0) return batchSize
      }
      return 0
    },
  }

  function fieldNamed(name: string): ProfileField | undefined {
    return profileFields.now().fields.find((field) => field.name === name)
  }

  async function valuesOf(
    trx: DatabaseOrTransaction,
    userIds: readonly number[],
    reader: FieldReader,
  ): Promise<Map<number, Record<string, FieldValue>>> {
    const { fields } = profileFields.now()
    const found = new Map<number, Record<string, FieldValue>>()
    if (fields.length === 0) return found
    const rows = await profileStore(trx).of(userIds)
    const stored = Map.groupBy(rows, ({ userId }) => userId)
    for (const [userId, values] of stored) {
      const byField = new Map(values.map(({ field, value }) => [field, value]))
      // In the order of the file.
      const shown = fields.flatMap((field) => {
        const value = byField.get(field.name)
        return value === undefined || !mayRead(field, reader) ? [] : [[field.name, value] as const]
      })
      if (shown.length > 0) found.set(userId, Object.fromEntries(shown))
    }
    return found
  }

  async function store(
    trx: DatabaseOrTransaction,
    userId: number,
    values: ValuesInput,
    names: readonly string[],
  ): Promise<void> {
    const rows = profileStore(trx)
    // In one order, so that two transactions cannot wait for each other.
    for (const field of names.toSorted()) {
      const value = values[field] ?? null
      if (value === null) await rows.remove(userId, field)
      else {
        const uniqueKey = keyOf(fieldNamed(field), value)
        const holders = uniqueKey === null ? [] : await rows.holders(field, [uniqueKey])
        const isNew = holders.every(({ user_id }) => user_id !== userId)
        if (isNew && holders.length > 0) throw valueTaken(field)
        await rows.set({ userId, field, value, uniqueKey }).catch((error: unknown) => {
          throw error instanceof UniqueViolation ? valueTaken(field) : error
        })
      }
    }
  }

  async function addKey(field: ProfileField, userId: number, value: FieldValue): Promise<void> {
    const uniqueKey = keyOf(field, value) ?? ''
    await transact(db, [lockName.account(userId)], async (trx) => {
      const rows = profileStore(trx)
      const [present] = (await rows.of([userId])).filter((one) => one.field === field.name)
      if (present?.value !== value) return
      const holders = await rows.holders(field.name, [uniqueKey])
      if (holders.some((one) => one.user_id !== userId && one.unique_key === uniqueKey))
        await rows.markDuplicate(userId, field.name, uniqueKey)
      else await rows.setKey(userId, field.name, uniqueKey)
    }).catch((error: unknown) => {
      if (!(error instanceof UniqueViolation)) throw error // taken in the meantime: the next run
    })
  }
}

/** Texts are compared without regard to case, compatible forms, outer spaces and unseen characters. */
export function keyOf(field: ProfileField | undefined, value: FieldValue): string | null {
  if (!field?.isUnique) return null
  const compared = typeof value === 'string' ? comparedText(value) : value
  return digest(JSON.stringify(compared))
}

function comparedText(text: string): string {
  return withoutUnseen(caseFold(text.normalize('NFKC'))).trim()
}

function valueTaken(field: string): ApiError {
  const reason = { code: 'profile_value_taken', facts: { field } } as const
  return new ApiError(profileValueTaken, { extra: { field }, reason })
}
