import type { FastifySchemaValidationError } from 'fastify'
import { isEmail } from '../../addresses/email.ts'
import type { Detail } from '../../errors.ts'
import { isStorableText } from '../../lib/text.ts'
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
