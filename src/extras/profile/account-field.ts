import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Detail } from '../../core/errors.ts'
import type { AccountInput } from '../../core/http/pages/views/account-input.ts'
import type { AccountField, ImportedField } from '../../modules/accounts/account-field.ts'
import { fieldName, type ValuesInput } from './check-values.ts'
import { type FieldValue, mayWrite, type ProfileField } from './field.ts'
import type { Profiles } from './profiles.ts'
import { ValuesInputSchema, valueTaken } from './schemas.ts'
import { profileStore, type StoredValue } from './store.ts'

/** `profile` of new, imported and exported accounts. */
export function profileField(profiles: Profiles): AccountField {
  const asked = () => profiles.fields().filter(({ isAtSignUp }) => isAtSignUp)
  return {
    name: fieldName,
    schema: ValuesInputSchema,
    errors: [valueTaken],

    check(value, by) {
      const values = profiles.check(value, { by, isNew: true })
      return (trx, userId) => profiles.storeNew(trx, userId, values)
    },

    inputs: () => inputsOf(asked()),
    parse: (text) => valuesOfForm(asked(), text, true),
    import: (trx, accounts) => importValues(profiles, trx, accounts),
    export: (db, userIds) => profiles.ofMany(db, userIds),
  }
}

export function inputsOf(fields: readonly ProfileField[]): AccountInput[] {
  return fields
    .filter((field) => mayWrite(field, 'owner'))
    .map(({ name, labels, type, schema, enum: choices, isRequired }) => ({
      ...{ name: inputName(name), labels, isRequired },
      kind: kindOf(type, choices !== null, schema.format === 'email'),
      choices: (choices ?? []).map(String),
    }))
}

function kindOf(
  type: ProfileField['type'],
  hasChoices: boolean,
  isEmail: boolean,
): AccountInput['kind'] {
  if (type === 'boolean') return 'flag'
  if (hasChoices) return 'choice'
  if (type !== 'string') return 'number'
  return isEmail ? 'email' : 'text'
}

/** Differs from the names of other inputs of a form. */
export const inputName = (field: string) => `${fieldName}_${field}`

/**
 * Empty texts remove values, and are left out for a new account. Texts that are no number stay
 * texts, which the check refuses.
 */
export function valuesOfForm(
  fields: readonly ProfileField[],
  text: (input: string) => string,
  isNew: boolean,
): ValuesInput {
  const values: Record<string, FieldValue | null> = {}
  for (const field of fields.filter((one) => mayWrite(one, 'owner'))) {
    const sent = text(inputName(field.name)).trim()
    if (sent !== '' || field.type === 'boolean') values[field.name] = typedValue(field, sent)
    else if (!isNew) values[field.name] = null
  }
  return values
}

function typedValue({ type }: ProfileField, sent: string): FieldValue {
  if (type === 'string') return sent
  if (type === 'boolean') return sent !== ''
  const number = Number(sent.replace(',', '.'))
  return Number.isNaN(number) ? sent : number
}

async function importValues(
  profiles: Profiles,
  trx: DatabaseOrTransaction,
  accounts: readonly ImportedField[],
) {
  const rows = accounts.flatMap(({ line, userId, value }) =>
    profiles
      .rowsOf(userId, profiles.check(value, { by: 'admin' }))
      .map((row): StoredValue & { readonly line: number } => ({ ...row, line })),
  )
  const store = profileStore(trx)
  const refused: { line: number; detail: Detail }[] = []
  const refuse = (line: number, field: string, message: string) =>
    refused.push({ line, detail: { path: [fieldName, field], message } })
  for (const [field, ofField] of Map.groupBy(rows, (row) => row.field)) {
    const lineOfKey = new Map<string, number>()
    const compared = ofField.filter(({ uniqueKey }) => uniqueKey !== null)
    const keys = compared.map(({ uniqueKey }) => uniqueKey ?? '')
    const taken = new Set((await store.holders(field, keys)).map((one) => one.unique_key))
    for (const { line, uniqueKey } of compared) {
      const earlier = lineOfKey.get(uniqueKey ?? '')
      if (earlier !== undefined) refuse(line, field, `is on line ${earlier} already`)
      else if (taken.has(uniqueKey)) refuse(line, field, 'is the value of another account')
      lineOfKey.set(uniqueKey ?? '', line)
    }
  }
  if (refused.length > 0) return refused
  for (const row of rows) if (row.userId > 0) await store.set(row)
  return []
}
