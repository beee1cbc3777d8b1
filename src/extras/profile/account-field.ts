import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Detail } from '../../core/errors.ts'
import { textIn } from '../../core/http/bodies/bodies.ts'
import type { AccountInput } from '../../core/http/pages/views/account-input.ts'
import { typedNumber } from '../../core/lib/typed-number.ts'
import type { AccountField, ImportedField } from '../../modules/accounts/account-field.ts'
import { fieldName, type ValuesInput } from './check-values.ts'
import { type FieldValue, type FieldValues, mayWrite, type ProfileField } from './field.ts'
import { isObject } from './parse-field.ts'
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
    parse: (text) => newValues(asked(), text),
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

/** By the name of the input. */
export type FormTexts = Readonly<Record<string, string>>

/**
 * The values as a form shows them; a choice that is not allowed any more is shown as none. Fields
 * without a value have an empty text.
 */
export function textsOf(fields: readonly ProfileField[], values: FieldValues): FormTexts {
  return Object.fromEntries(
    fields
      .filter((field) => mayWrite(field, 'owner'))
      .map((field) => [inputName(field.name), textOf(field, values[field.name])]),
  )
}

function textOf({ enum: choices, type }: ProfileField, value: FieldValue | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'boolean') return value ? '1' : ''
  return type !== 'boolean' && choices?.includes(value) === false ? '' : String(value)
}

/** Empty inputs are left out. Texts that are no number stay texts, which the check refuses. */
function newValues(fields: readonly ProfileField[], text: (input: string) => string): ValuesInput {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const sent = text(inputName(field.name)).trim()
      return mayWrite(field, 'owner') && sent !== '' ? [[field.name, typedValue(field, sent)]] : []
    }),
  )
}

/**
 * What its owner changed in a form that showed `shown`; an empty text removes a value. Inputs that
 * the form did not have change nothing.
 */
export function changedValues(
  fields: readonly ProfileField[],
  body: unknown,
  shown: FormTexts,
): ValuesInput {
  const sent = isObject(body) ? body : {}
  const values: Record<string, FieldValue | null> = {}
  for (const field of fields.filter((one) => mayWrite(one, 'owner'))) {
    const name = inputName(field.name)
    // A box without its tick is not sent.
    const isSent = Object.hasOwn(field.type === 'boolean' ? { ...shown, ...sent } : sent, name)
    const text = textIn(body, name).trim()
    if (!isSent || text === shown[name]?.trim()) continue
    values[field.name] = text === '' && field.type !== 'boolean' ? null : typedValue(field, text)
  }
  return values
}

function typedValue({ type }: ProfileField, sent: string): FieldValue {
  if (type === 'string') return sent
  if (type === 'boolean') return sent !== ''
  return typedNumber(sent) ?? sent
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
    const taken = new Set((await store.holders(field, keys)).map(({ key }) => key))
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
