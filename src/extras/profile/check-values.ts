import { ApiError, type Detail } from '../../core/errors.ts'
import { compileCheck } from '../../core/http/bodies/validation.ts'
import type { Words } from '../../core/lib/languages.ts'
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
    if (!isObject(given)) throw refusal([detailOf([], notObject)])
    const details: Detail[] = []
    const refuse = (name: string, words: Words) => details.push(detailOf([name], words))
    for (const [name, value] of Object.entries(given)) {
      const field = byName.get(name)
      if (!field) refuse(name, faults.unknown)
      else if (!mayWrite(field, by)) refuse(name, faults.ofAdministrators)
      else if (isMissing(field, value) && by === 'owner') refuse(name, faults.missing)
    }
    if (isNew && by === 'owner') {
      for (const { name, isRequired } of fields) {
        if (isRequired && !Object.hasOwn(given, name)) refuse(name, faults.missing)
      }
    }
    const refused = new Set(details.map(({ path }) => path[0]))
    const values = Object.entries(given).filter(([name]) => !refused.has(name))
    const present = values.filter(([, value]) => value !== null)
    details.push(...validate(Object.fromEntries(present)))
    for (const [name, value] of present) {
      const words = textFault(byName.get(name), value)
      if (words !== null) refuse(name, words)
    }
    if (details.length > 0) throw refusal(onePerField(details))
    return Object.fromEntries(values) as FieldValues // as validated
  }
}

const notObject = { en: 'must be object', de: 'muss ein Objekt sein' }
const faults = {
  unknown: { en: 'is not a field of the profile', de: 'ist kein Feld des Profils' },
  ofAdministrators: {
    en: 'can be changed by administrators only',
    de: 'darf nur ein Administrator ändern',
  },
  missing: { en: 'is required', de: 'fehlt' },
  controls: {
    en: 'must not hold control characters',
    de: 'darf keine Steuerzeichen enthalten',
  },
  address: {
    en: 'must be an http or https address',
    de: 'muss eine http- oder https-Adresse sein',
  },
} as const satisfies Record<string, Words>

function detailOf(path: readonly string[], words: Words): Detail {
  return { path, message: words.en, words }
}

/** A flag that is required must be true, such as a consent. */
function isMissing({ isRequired, type }: ProfileField, value: unknown): boolean {
  return isRequired && (value === null || (type === 'boolean' && value === false))
}

/** What the schema does not express. */
function textFault(field: ProfileField | undefined, value: unknown): Words | null {
  if (typeof value !== 'string') return null
  if (hasControls(value) || !value.isWellFormed()) return faults.controls
  if (field?.schema.format !== 'uri') return null
  const { protocol = '' } = URL.parse(value) ?? {}
  return /^https?:$/.test(protocol) ? null : faults.address
}

function onePerField(details: readonly Detail[]): Detail[] {
  return [
    ...new Map(details.toReversed().map((one) => [one.path.join('.'), one])).values(),
  ].reverse()
}

function refusal(found: readonly Detail[]): ApiError {
  const details = found.map((detail) => ({ ...detail, path: [fieldName, ...detail.path] }))
  const facts = { fields: details.map(({ path }) => path.join('.')) }
  return new ApiError('validationFailed', { details, reason: { code: 'schema_violated', facts } })
}
