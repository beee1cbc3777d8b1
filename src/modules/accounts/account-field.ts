import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { ApiError, Detail } from '../../core/errors.ts'
import type { FieldChecks } from '../../core/http/bodies/faults.ts'
import { type DeclaredError, rowOf } from '../../core/http/declared-error.ts'
import type {
  AccountInput,
  InputProblem,
  ShownInput,
} from '../../core/http/pages/views/account-input.ts'
import { type JsonSchema, named, namingOf } from '../../core/http/schemas.ts'

declare module '../../core/module/hooks.ts' {
  interface HookPoints {
    accountField: AccountField
  }
}

/** Stores the value in the transaction that makes the account. */
export type StoreAccountField = (trx: DatabaseOrTransaction, userId: number) => Promise<void>

/** A field of new, imported and exported accounts that another module checks and stores. */
export interface AccountField {
  readonly name: string
  /** Of requests; `check` checks what the schema does not. */
  readonly schema: JsonSchema
  /** Of a value that is refused when it is stored; `extra.field` names the part of the value. */
  readonly errors: readonly DeclaredError[]
  /**
   * For a new account, by its owner or by an administrator; the value is undefined if absent.
   * @throws ApiError validationFailed, with paths that begin with the name
   */
  check(value: unknown, by: 'admin' | 'owner'): StoreAccountField
  /** What the form of a new account asks for, in order; named by the path in `details`, with `_`. */
  inputs(): readonly AccountInput[]
  /** The value of a form. Texts that cannot be read as their type stay texts. */
  parse(text: (input: string) => string): unknown
  /** For the accounts of an import; returns the refused ones. With the user id 0 stores nothing. */
  import(
    trx: DatabaseOrTransaction,
    accounts: readonly ImportedField[],
  ): Promise<readonly { readonly line: number; readonly detail: Detail }[]>
  /** By user; accounts without a value are absent. */
  export(
    db: DatabaseOrTransaction,
    userIds: readonly number[],
  ): Promise<ReadonlyMap<number, unknown>>
}

export interface ImportedField {
  readonly line: number
  readonly userId: number
  readonly value: unknown
}

/** A body with the fields of other modules; only its own fields are typed. */
export function withFields<Schema extends ObjectSchema>(
  schema: Schema,
  fields: readonly AccountField[],
): Schema {
  const { name, example } = namingOf(schema) ?? { name: 'Body', example: {} }
  const more = Object.fromEntries(fields.map((field) => [field.name, field.schema]))
  return named(name, { ...schema, properties: { ...schema.properties, ...more } }, example)
}

type ObjectSchema = JsonSchema & { readonly properties: Readonly<Record<string, JsonSchema>> }

/** Checks of the fields, for a body of an administrator. */
export function fieldChecks(fields: readonly AccountField[]): FieldChecks {
  return Object.fromEntries(
    fields.map((field) => [field.name, (body) => field.check(body[field.name], 'admin')]),
  )
}

/** @throws ApiError validationFailed */
export function storeOf(
  fields: readonly AccountField[],
  body: Readonly<Record<string, unknown>>,
): StoreAccountField {
  const stores = fields.map((field) => field.check(body[field.name], 'admin'))
  return async (trx, userId) => {
    for (const store of stores) await store(trx, userId)
  }
}

/** Of the refusal of a value, by the name of the input. */
export function inputProblems(
  { details = [], extra, row }: ApiError,
  fields: readonly AccountField[],
): Readonly<Record<string, InputProblem>> {
  const found: Record<string, InputProblem> = {}
  for (const { name, errors } of fields) {
    for (const { path, message } of details) {
      if (path[0] === name)
        found[path.join('_')] = message === 'is required' ? 'missing' : 'invalid'
    }
    if (errors.some((error) => rowOf(error) === row)) found[`${name}_${extra?.field}`] = 'taken'
  }
  return found
}

export function shownInputs(
  inputs: readonly AccountInput[],
  values: Readonly<Record<string, string>>,
  problems: Readonly<Record<string, InputProblem>> = {},
): ShownInput[] {
  return inputs.map((input) => ({
    ...input,
    value: values[input.name] ?? '',
    problem: problems[input.name] ?? null,
  }))
}
