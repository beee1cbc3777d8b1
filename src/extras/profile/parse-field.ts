import type { JsonSchema } from '../../core/http/schemas.ts'
import { codePointLength, isStorableText } from '../../core/lib/text.ts'
import { claimPlaces } from '../../modules/accounts/account-claims.ts'
import {
  type FieldValue,
  fieldReaders,
  fieldTypes,
  fieldWriters,
  type ProfileField,
} from './field.ts'
import { isReservedName } from './reserved-names.ts'

export const maxTextLength = 1000
const defaultTextLength = 200
const maxChoices = 100
const maxLabelLength = 100

const common = ['type', 'title', 'labels', 'description', 'enum', 'claims']
const access = ['read', 'write', 'unique', 'signUp']
const wordsOf = {
  string: ['minLength', 'maxLength', 'format'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  boolean: [],
} as const
const formats = ['email', 'date', 'date-time', 'uri']

type Given = Readonly<Record<string, unknown>>

/** The mistakes lack the name of the field. */
export function parseField(
  name: string,
  entry: unknown,
  isRequired: boolean,
): { readonly field?: ProfileField; readonly mistakes: readonly string[] } {
  if (!isObject(entry)) return { mistakes: ['must be an object'] }
  const named = nameMistakes(name)
  if (named.length > 0) return { mistakes: named }
  const mistakes: string[] = []
  const given = entry
  const type = fieldTypes.find((one) => one === given.type)
  if (type === undefined) {
    mistakes.push(`must have a "type": one of ${fieldTypes.join(', ')}`)
    return { mistakes }
  }
  const known: readonly string[] = [...common, ...access, ...wordsOf[type]]
  for (const word of Object.keys(given)) {
    if (!known.includes(word)) mistakes.push(unknownWord(word, type))
  }
  const oneOf = <Word extends string>(word: string, values: readonly Word[], otherwise: Word) => {
    const value = given[word] ?? otherwise
    const found = values.find((one) => one === value)
    if (found === undefined)
      mistakes.push(`has a "${word}" that is not one of ${values.join(', ')}`)
    return found ?? otherwise
  }
  const flag = (word: string, otherwise: boolean): boolean => {
    const value = given[word] ?? otherwise
    if (typeof value !== 'boolean') mistakes.push(`has a "${word}" that is neither true nor false`)
    return value === true
  }
  const read = oneOf('read', fieldReaders, 'owner')
  const write = oneOf('write', fieldWriters, 'admin')
  const isUnique = flag('unique', false)
  const isAtSignUp = flag('signUp', isRequired)
  const claims = listOf(given.claims).filter((place) => claimPlaces.some((one) => one === place))
  const isList = Array.isArray(given.claims) && claims.length === given.claims.length
  if (given.claims !== undefined && !isList) {
    mistakes.push(`has "claims" that are no list of ${claimPlaces.join(', ')}`)
  }
  if (read === 'admin' && write === 'owner') {
    mistakes.push('is written by its owner, who may not read it')
  }
  if (read === 'admin' && claims.length > 0) {
    mistakes.push('has claims, which its owner may not read')
  }
  if (isRequired && write !== 'owner') {
    mistakes.push('is required, but its owner may not write it: "write" must be "owner"')
  }
  if (isRequired && !isAtSignUp) mistakes.push('is required, so sign-up must ask for the value')
  if (isAtSignUp && write !== 'owner' && !isRequired) {
    mistakes.push('is asked for at sign-up, but its owner may not write it')
  }
  if (isUnique && type === 'boolean') mistakes.push('is unique, which a boolean cannot be')
  const labels = labelsOf(name, given, mistakes)
  const bounds = boundsOf(type, given, mistakes)
  const choices = choicesOf(type, given, bounds, mistakes)
  if (mistakes.length > 0) return { mistakes }
  const field = {
    ...{ name, type, labels, read, write, isUnique, isRequired, isAtSignUp, enum: choices },
    schema: { type, ...bounds, ...(choices && { enum: choices }) },
    claims: claims as ProfileField['claims'], // as filtered
  }
  return { field, mistakes }
}

function nameMistakes(name: string): string[] {
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(name)) {
    return ['has a name that is not 1 to 40 small letters, digits and _, beginning with a letter']
  }
  return isReservedName(name)
    ? ['has the name of a claim or of an account field: choose another name']
    : []
}

function unknownWord(word: string, type: string): string {
  if (word === '$ref') return 'refers to another schema with "$ref", which is not supported'
  if (['properties', 'items'].includes(word)) {
    return `is nested (${quoted(word)}): a field has one value of a simple type`
  }
  if (word === 'pattern') return 'has a "pattern", which is not supported: use "format" or "enum"'
  return `has ${quoted(word)}, which a field of the type ${type} cannot have`
}

function labelsOf(name: string, { title, labels = {}, description }: Given, mistakes: string[]) {
  const isText = (text: unknown): text is string =>
    typeof text === 'string' && text.trim() !== '' && isPlainText(text, maxLabelLength)
  if (title !== undefined && !isText(title)) {
    mistakes.push(`has a "title" that is not a text of 1 to ${maxLabelLength} characters`)
  }
  if (description !== undefined && typeof description !== 'string') {
    mistakes.push('has a "description" that is no text')
  }
  const otherwise = isText(title) ? title : name.replaceAll('_', ' ')
  if (!isObject(labels)) {
    mistakes.push('has "labels" that are no object of texts by language')
    return { en: otherwise, de: otherwise }
  }
  const { en = otherwise, de = labels.en ?? otherwise, ...others } = labels
  for (const language of Object.keys(others)) {
    mistakes.push(`has a label for the language ${quoted(language)}; there are en and de`)
  }
  if (isText(en) && isText(de)) return { en, de }
  mistakes.push(`has a label that is not a text of 1 to ${maxLabelLength} characters`)
  return { en: otherwise, de: otherwise }
}

function boundsOf(type: ProfileField['type'], given: Given, mistakes: string[]): JsonSchema {
  if (type === 'boolean') return {}
  if (type === 'string') {
    const { format, minLength = 1, maxLength = defaultTextLength } = given
    if (format !== undefined && !formats.some((one) => one === format)) {
      mistakes.push(`has a "format" that is not one of ${formats.join(', ')}`)
    }
    const isCount = (value: unknown) =>
      Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maxTextLength
    if (!isCount(minLength) || !isCount(maxLength)) {
      mistakes.push(`has a "minLength" or "maxLength" that is not 1 to ${maxTextLength}`)
    } else if (Number(minLength) > Number(maxLength)) {
      mistakes.push('has a "minLength" above its "maxLength"')
    }
    return { minLength, maxLength, format: format ?? 'text' }
  }
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = given
  const isBound = (value: unknown) =>
    typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER
  if (!isBound(minimum) || !isBound(maximum)) {
    mistakes.push('has a "minimum" or "maximum" that is no number from -(2^53-1) to 2^53-1')
  } else if (Number(minimum) > Number(maximum)) {
    mistakes.push('has a "minimum" above its "maximum"')
  }
  return { minimum, maximum }
}

function choicesOf(
  type: ProfileField['type'],
  given: Given,
  { minLength, maxLength, minimum, maximum }: JsonSchema,
  mistakes: string[],
): readonly FieldValue[] | null {
  if (given.enum === undefined) return null
  const isWithin = (value: unknown) => {
    if (type === 'string') {
      if (typeof value !== 'string' || !isPlainText(value, Number(maxLength))) return false
      return codePointLength(value) >= Number(minLength)
    }
    if (type === 'boolean') return typeof value === 'boolean'
    if (typeof value !== 'number' || (type === 'integer' && !Number.isInteger(value))) return false
    return value >= Number(minimum) && value <= Number(maximum)
  }
  const values = listOf(given.enum)
  if (values.length === 0 || values.length > maxChoices) {
    mistakes.push(`has an "enum" that is no list of 1 to ${maxChoices} values`)
  } else if (!values.every(isWithin)) {
    mistakes.push('has an "enum" with a value of another type or outside of the bounds')
  } else if (new Set(values).size < values.length) {
    mistakes.push('has a value twice in its "enum"')
  }
  return values as FieldValue[] // as checked
}

function isPlainText(text: string, maxLength: number): boolean {
  return isStorableText(text) && !hasControls(text) && codePointLength(text) <= maxLength
}

/** Line breaks, and what changes the direction of the text around it, included. */
export function hasControls(text: string): boolean {
  return /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(text)
}

export function isObject(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text)
}
