import { isDeepStrictEqual } from 'node:util'
import { type About, decode, fill, isPlain } from './values.ts'

const brand = Symbol('shape')

/** An expectation that is not one exact value. `text` describes it in reports. */
export interface Shape {
  readonly [brand]: true
  readonly text: string
  /** What is wrong, with the path; empty if nothing is. */
  readonly faults: (actual: unknown, path: string, about: About) => string[]
}

function isShape(value: unknown): value is Shape {
  return typeof value === 'object' && value !== null && brand in value
}

function shape(text: string, isRight: (actual: unknown, about: About) => boolean): Shape {
  const faults: Shape['faults'] = (actual, path, about) =>
    isRight(actual, about) ? [] : [`${path}: expected ${text}, was ${inJson(actual)}`]
  return { [brand]: true, text, faults }
}

export const text = shape('a text', (actual) => typeof actual === 'string' && actual !== '')
export const integer = shape('an integer', Number.isSafeInteger)
export const boolean = shape('a boolean', (actual) => typeof actual === 'boolean')
export const anything = shape('any value', () => true)
export const instant = shape(
  'a time in ISO 8601',
  (actual) => typeof actual === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(actual),
)
/** 32 bytes in base64url without padding. */
export const bytes32 = shape(
  '43 characters of base64url',
  (actual) => typeof actual === 'string' && /^[\w-]{43}$/.test(actual),
)

export function matching(pattern: RegExp): Shape {
  return shape(String(pattern), (actual) => typeof actual === 'string' && pattern.test(actual))
}

/** A text with this piece, whose braces are filled in. */
export function containing(piece: string): Shape {
  return shape(`a text with ${piece}`, (actual, about) =>
    String(actual).includes(String(fill(piece, about))),
  )
}

export function oneOf(...values: readonly unknown[]): Shape {
  return shape(values.map(inJson).join(' or '), (actual) => values.includes(actual))
}

export function not(value: string): Shape {
  return shape(`not ${value}`, (actual, about) => actual !== fill(value, about))
}

/** An object with at least these fields. */
export function including(fields: Readonly<Record<string, unknown>>): Shape {
  return {
    [brand]: true,
    text: `${inWords(fields).slice(0, -1).trimEnd()}, ...}`,
    faults: (actual, path, about) =>
      isPlain(actual)
        ? Object.entries(fields).flatMap(([name, each]) =>
            faultsOf(each, actual[name], `${path}.${name}`, about),
          )
        : [`${path}: expected an object, was ${inJson(actual)}`],
  }
}

/** An object with these fields alone, to be combined with other shapes. */
export function exactly(fields: Readonly<Record<string, unknown>>): Shape {
  return {
    [brand]: true,
    text: inWords(fields),
    faults: (actual, path, about) => faultsOf(fields, actual, path, about),
  }
}

/** A list, each item of this form, and with at least so many. */
export function listOf(item: unknown, least = 0): Shape {
  return {
    [brand]: true,
    text: `[${inWords(item)}, ...]${least > 0 ? ` with at least ${least}` : ''}`,
    faults: (actual, path, about) => {
      if (!Array.isArray(actual)) return [`${path}: expected a list, was ${inJson(actual)}`]
      if (actual.length < least)
        return [`${path}: expected at least ${least}, was ${actual.length}`]
      return actual.flatMap((each, index) => faultsOf(item, each, `${path}[${index}]`, about))
    },
  }
}

/** A list with this item. */
export function having(item: unknown): Shape {
  return {
    [brand]: true,
    text: `a list with ${inWords(item)}`,
    faults: (actual, path, about) =>
      Array.isArray(actual) && actual.some((each) => faultsOf(item, each, path, about).length === 0)
        ? []
        : [`${path}: expected a list with ${inJson(fill(item, about))}`],
  }
}

export function both(...shapes: readonly Shape[]): Shape {
  return {
    [brand]: true,
    text: shapes.map((each) => each.text).join(', '),
    faults: (actual, path, about) => shapes.flatMap((each) => each.faults(actual, path, about)),
  }
}

/** Three parts, whose header and claims have these forms. */
export function jwt(header: unknown, claims: unknown): Shape {
  return {
    [brand]: true,
    text: `a token with ${inWords(claims)}`,
    faults: (actual, path, about) => {
      const parts = typeof actual === 'string' ? actual.split('.') : []
      if (parts.length !== 3) return [`${path}: expected a token of three parts`]
      try {
        const [first, second] = parts.map((part, index) => (index < 2 ? decode(part) : part))
        return [
          ...faultsOf(header, first, `${path} header`, about),
          ...faultsOf(claims, second, `${path} claims`, about),
        ]
      } catch {
        return [`${path}: expected JSON in the parts of the token`]
      }
    },
  }
}

/** Claims whose exp is so many seconds after iat; a setting in braces. */
export function lifetime(seconds: string): Shape {
  return shape(`exp - iat = ${seconds}`, (actual, about) => {
    const { exp, iat } = isPlain(actual) ? actual : {}
    return Number(exp) - Number(iat) === Number(fill(seconds, about))
  })
}

/** Compares exactly, but for shapes: objects have the same fields, lists the same items. */
export function faultsOf(expected: unknown, actual: unknown, path: string, about: About): string[] {
  if (isShape(expected)) return expected.faults(actual, path, about)
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) {
      return [`${path}: expected ${expected.length} items, was ${inJson(actual)}`]
    }
    return expected.flatMap((each, index) =>
      faultsOf(each, actual[index], `${path}[${index}]`, about),
    )
  }
  if (isPlain(expected)) {
    if (!isPlain(actual)) return [`${path}: expected an object, was ${inJson(actual)}`]
    const surplus = Object.keys(actual).filter((name) => !(name in expected))
    return [
      ...Object.entries(expected).flatMap(([name, each]) =>
        faultsOf(each, actual[name], `${path}.${name}`, about),
      ),
      ...surplus.map((name) => `${path}.${name}: not expected`),
    ]
  }
  const wanted = fill(expected, about)
  return isDeepStrictEqual(wanted, actual)
    ? []
    : [`${path}: expected ${inJson(wanted)}, was ${inJson(actual)}`]
}

/** For documents and reports. */
export function inWords(expected: unknown): string {
  if (isShape(expected)) return expected.text
  if (Array.isArray(expected)) return `[${expected.map(inWords).join(', ')}]`
  if (!isPlain(expected)) return inJson(expected)
  const fields = Object.entries(expected).map(([name, each]) => `${name}: ${inWords(each)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

/** Whole: a report hides secrets before it cuts. */
function inJson(value: unknown): string {
  return JSON.stringify(value) ?? 'absent'
}
