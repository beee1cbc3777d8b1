import { ApiError, type Detail } from '../../core/errors.ts'
import { compileCheck } from '../../core/http/bodies/validation.ts'
import {
  type FieldValue,
  type FieldValues,
  type FieldWriter,
  mayWrite,
  type ProfileField,
} from './field.ts'
import { hasControls, isObject } from './parse-field.ts'

/** In requests and answers. */
export const fieldName = 'profile'

export interface CheckOptions {
  readonly by: FieldWriter
  /** Whether required values must be there. */
  readonly isNew?: boolean
}

/** The wanted values; null removes a value. @throws ApiError validationFailed with all mistakes */
export type CheckValues = (given: unknown, options: CheckOptions) => ValuesInput

export type ValuesInput = Readonly<Record<string, FieldValue | null>>

/** Loads Ajv only if there are fields. */
export async function checkOf(fields: readonly ProfileField[]): Promise<CheckValues> {
  const byName = new Map(fields.map((field) => [field.name, field]))
  const properties = Object.fromEntries(fields.map(({ name, schema }) => [name, schema]))
  const validate =
    fields.length === 0 ? () => [] : await compileCheck({ type: 'object', properties })

  return (given = {}, { by, isNew = false }) => {
    if (!isObject(given)) throw refusal([{ path: [], message: 'must be object' }])
    const details: Detail[] = []
    const refuse = (name: string, message: string) => details.push({ path: [name], message })
    for (const [name, value] of Object.entries(given)) {
      const field = byName.get(name)
      if (!field) refuse(name, 'is not a field of the profile')
      else if (!mayWrite(field, by)) refuse(name, 'is changed by an administrator only')
      else if (value === null && field.isRequired && by === 'owner') refuse(name, 'is required')
    }
    if (isNew && by === 'owner') {
      for (const { name, isRequired } of fields) {
        if (isRequired && !Object.hasOwn(given, name)) refuse(name, 'is required')
      }
    }
    const refused = new Set(details.map(({ path }) => path[0]))
    const values = Object.entries(given).filter(([name]) => !refused.has(name))
    const present = values.filter(([, value]) => value !== null)
    details.push(...validate(Object.fromEntries(present)))
    for (const [name, value] of present) {
      const message = textFault(byName.get(name), value)
      if (message !== null) refuse(name, message)
    }
    if (details.length > 0) throw refusal(onePerField(details))
    return Object.fromEntries(values) as FieldValues // as validated
  }
}

/** What the schema does not express. */
function textFault(field: ProfileField | undefined, value: unknown): string | null {
  if (typeof value !== 'string') return null
  if (hasControls(value) || !value.isWellFormed()) return 'must not hold control characters'
  if (field?.schema.format !== 'uri') return null
  const { protocol = '' } = URL.parse(value) ?? {}
  return /^https?:$/.test(protocol) ? null : 'must be an http or https address'
}

function onePerField(details: readonly Detail[]): Detail[] {
  return [
    ...new Map(details.toReversed().map((one) => [one.path.join('.'), one])).values(),
  ].reverse()
}

function refusal(found: readonly Detail[]): ApiError {
  const details = found.map(({ path, message }) => ({ path: [fieldName, ...path], message }))
  const facts = { fields: details.map(({ path }) => path.join('.')) }
  return new ApiError('validationFailed', { details, reason: { code: 'schema_violated', facts } })
}
