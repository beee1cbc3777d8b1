import { readText } from '../../core/config/read-file.ts'
import { repeatedFields } from '../../core/config/repeated-fields.ts'
import type { ProfileField } from './field.ts'
import { isObject, parseField, quoted } from './parse-field.ts'

export interface ProfileReading {
  readonly fields: readonly ProfileField[]
  readonly mistakes: readonly string[]
}

const setting = 'PROFILE_FILE'
const maxBytes = 262_144
const maxFields = 100
const maxMistakes = 100
/** Of all values in an access token, which has a limit of 8 kB. */
export const maxTokenBytes = 2048

/** Collects all mistakes. */
export function readProfileFile(path: string | undefined): ProfileReading {
  if (path === undefined) return { fields: [], mistakes: [] }
  const file = readText(path, maxBytes)
  const { fields, mistakes } =
    'mistake' in file ? { fields: [], mistakes: [file.mistake] } : parseProfileFile(file.text)
  const first = mistakes.slice(0, maxMistakes)
  const left = mistakes.length - first.length
  const lines = left > 0 ? [...first, `has ${left} more mistakes`] : first
  return { fields, mistakes: lines.map((line) => `${setting} ${line}`) }
}

/** The mistakes lack the name of the setting. */
export function parseProfileFile(text: string): ProfileReading {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    const [place] = String(error).match(/\(line \d+ column \d+\)$/) ?? []
    return { fields: [], mistakes: [['is not JSON', place].filter(Boolean).join(' ')] }
  }
  const given = isObject(value) ? value : {}
  const { $schema, type = 'object', title, description, properties, ...others } = given
  const { required = [], ...unknown } = others
  if (!isObject(properties)) {
    return { fields: [], mistakes: ['must be a JSON Schema with an object "properties"'] }
  }
  const mistakes = [
    ...Object.keys(unknown).map((word) =>
      word === '$ref' || word === '$defs' || word === 'definitions'
        ? `has ${quoted(word)}: references to schemas are not supported`
        : `has an unknown word ${quoted(word)}`,
    ),
    ...repeatedFields(text).map(
      ({ name, line }) => `has ${quoted(name)} twice in one object (line ${line})`,
    ),
  ]
  if (type !== 'object') mistakes.push('must have the "type" "object"')
  for (const [word, about] of Object.entries({ $schema, title, description })) {
    if (about !== undefined && typeof about !== 'string')
      mistakes.push(`has a "${word}" of no text`)
  }
  const entries = Object.entries(properties)
  if (entries.length > maxFields) {
    mistakes.push(`has ${entries.length} fields; at most ${maxFields} are allowed`)
    return { fields: [], mistakes }
  }
  const isList = Array.isArray(required) && required.every((name) => typeof name === 'string')
  const needed: readonly string[] = isList ? required : []
  if (!isList) mistakes.push('must have a list of field names as "required"')
  for (const name of needed) {
    if (!Object.hasOwn(properties, name)) {
      mistakes.push(`requires the field ${quoted(name)}, which is not in "properties"`)
    }
  }
  const fields: ProfileField[] = []
  for (const [name, entry] of entries) {
    const { field, mistakes: own } = parseField(name, entry, needed.includes(name))
    mistakes.push(...own.map((mistake) => `field ${quoted(name)} ${mistake}`))
    if (field) fields.push(field)
  }
  const bytes = fields
    .filter(({ claims }) => claims.includes('access_token'))
    .reduce((sum, field) => sum + maxBytesOf(field), 0)
  if (bytes > maxTokenBytes) {
    mistakes.push(
      `puts up to ${bytes} bytes into access tokens; at most ${maxTokenBytes} fit: shorten "maxLength" or use "userinfo"`,
    )
  }
  return { fields: mistakes.length > 0 ? [] : fields, mistakes }
}

/** As JSON, with the name: a character has up to four bytes. */
function maxBytesOf({ name, schema, type, enum: choices }: ProfileField): number {
  const framing = name.length + 4
  if (choices) {
    return framing + Math.max(...choices.map((one) => Buffer.byteLength(JSON.stringify(one))))
  }
  return framing + (type === 'string' ? 4 * Number(schema.maxLength) + 2 : 24)
}
