import type { FastifySchemaValidationError } from 'fastify'
import type { Detail } from '../kernel/errors.ts'
import { codePointLength, isStorableText } from '../kernel/text.ts'
import type { JsonSchema } from './schemas.ts'
import { describeValidation, isEmail } from './validation.ts'

/** The keywords that schemas of ours use. */
interface Shape {
  readonly type?: string
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly format?: string
}

type Violation = FastifySchemaValidationError
type Report = (keyword: string, message: string, params?: Record<string, unknown>) => void

const formats: Readonly<Record<string, (text: string) => boolean>> = {
  text: isStorableText,
  email: isEmail,
}

/**
 * What of a value breaks a schema of ours, in the words that Ajv has for a body: for what does not
 * come as the body of a request. Empty where nothing does.
 */
export function checkShape(schema: JsonSchema, value: unknown): Detail[] {
  const found: Violation[] = []
  check(schema as Shape, value, '', found) // a JSON Schema has these keywords or none
  return found.length === 0 ? [] : describeValidation(found)
}

function check(shape: Shape, value: unknown, path: string, found: Violation[]): void {
  const report: Report = (keyword, message, params = {}) =>
    found.push({ keyword, instancePath: path, schemaPath: '', params, message })
  if (shape.type !== undefined && !isOfType(shape.type, value)) {
    report('type', `must be ${shape.type}`)
  } else if (typeof value === 'string') checkText(shape, value, report)
  else if (typeof value === 'number') checkNumber(shape, value, report)
  else if (Array.isArray(value)) {
    const { items, maxItems = Number.POSITIVE_INFINITY } = shape
    if (value.length > maxItems) report('maxItems', `must NOT have more than ${maxItems} items`)
    else if (items)
      for (const [index, item] of value.entries()) check(items, item, `${path}/${index}`, found)
  } else if (typeof value === 'object' && value !== null) {
    for (const name of shape.required ?? []) {
      if (!Object.hasOwn(value, name)) report('required', '', { missingProperty: name })
    }
    for (const [name, field] of Object.entries(shape.properties ?? {})) {
      if (!Object.hasOwn(value, name)) continue
      check(field, (value as Record<string, unknown>)[name], `${path}/${name}`, found) // it has it
    }
  }
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value)
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    default:
      return typeof value === type
  }
}

function checkText(shape: Shape, text: string, report: Report): void {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, format } = shape
  const length = codePointLength(text)
  if (length > maxLength) report('maxLength', `must NOT have more than ${maxLength} characters`)
  if (length < minLength) report('minLength', `must NOT have fewer than ${minLength} characters`)
  if (format && formats[format]?.(text) === false) report('format', '', { format })
}

function checkNumber(shape: Shape, number: number, report: Report): void {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = shape
  if (number > maximum) report('maximum', `must be <= ${maximum}`)
  if (number < minimum) report('minimum', `must be >= ${minimum}`)
}
