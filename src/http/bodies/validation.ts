import type { FastifySchemaValidationError } from 'fastify'
import type { Detail } from '../../kernel/errors.ts'
import { isStorableText } from '../../kernel/text.ts'
import type { JsonSchema } from '../schemas.ts'

/**
 * Options of Ajv: it coerces no value ({"name": 5} is refused), removes none, and reports every
 * violation. Formats check the length first: with `allErrors` a pattern would run over a megabyte
 * that `maxLength` has already refused.
 */
export const ajvOptions = {
  customOptions: {
    coerceTypes: false,
    removeAdditional: false,
    allErrors: true,
    formats: { text: isStorableText },
  },
  // Added after Fastify's own formats, which define `email` in another way.
  onCreate: (ajv: { addFormat(name: string, check: (value: string) => boolean): unknown }) => {
    ajv.addFormat('email', isEmail)
  },
} as const

interface Validate {
  (value: unknown): unknown
  readonly errors?: FastifySchemaValidationError[] | null
}

const maxEmailLength = 254 // RFC 5321 section 4.5.3.1.3, less the angle brackets
const emailPattern =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}){0,31}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,31}[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/** A dot-atom address at a domain name (RFC 5322 section 3.4.1, RFC 1035 section 2.3.1). */
export function isEmail(value: string): boolean {
  if (value.length > maxEmailLength || value.indexOf('@') > 64) return false
  return emailPattern.test(value)
}

/**
 * Compiles a schema to a check of values that are no request body: it answers the same `details` as
 * for a body. Ajv is loaded at the first call.
 */
export async function compileCheck(schema: JsonSchema): Promise<(value: unknown) => Detail[]> {
  const { createCompilers } = await import('./compilers.ts')
  const compile = createCompilers().factory.buildValidator({}, ajvOptions)
  const route = { schema, method: '', url: '', httpPart: 'body' }
  const validate = compile(route) as Validate // as Fastify's own routes use it
  return (value) => (validate(value) === true ? [] : describeValidation(validate.errors ?? []))
}

/** Converts Ajv's errors to the `details` of spec section 7. */
export function describeValidation(errors: readonly FastifySchemaValidationError[]): Detail[] {
  return errors.map(({ keyword, instancePath, params, message = 'is not valid' }) => {
    const path = instancePath
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    if (keyword === 'required')
      return { path: [...path, String(params.missingProperty)], message: 'is required' }
    return { path, message: describe(keyword, params, message) }
  })
}

function describe(keyword: string, params: Record<string, unknown>, message: string): string {
  if (keyword === 'format' && params.format === 'email') return 'must be an e-mail address'
  if (keyword === 'format' && params.format === 'text') {
    return 'must not hold NUL characters or lone surrogates'
  }
  if (keyword === 'enum' && Array.isArray(params.allowedValues)) {
    return `must be one of ${params.allowedValues.join(', ')}`
  }
  return message
}
