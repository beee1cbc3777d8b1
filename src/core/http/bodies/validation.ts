import type { FastifySchemaValidationError } from 'fastify'
import { isEmail } from '../../addresses/email.ts'
import type { Detail } from '../../errors.ts'
import { isStorableText } from '../../lib/text.ts'
import type { JsonSchema } from '../schemas.ts'

/**
 * No coercion, no removal, all violations. Formats check the length first: with `allErrors`,
 * patterns run over texts beyond `maxLength`.
 */
export const ajvOptions = {
  customOptions: {
    coerceTypes: false,
    removeAdditional: false,
    allErrors: true,
    formats: { text: isStorableText },
  },
  // After Fastify's formats, to override `email`.
  onCreate: (ajv: { addFormat(name: string, check: (value: string) => boolean): unknown }) => {
    ajv.addFormat('email', isEmail)
  },
} as const

interface Validate {
  (value: unknown): unknown
  readonly errors?: FastifySchemaValidationError[] | null
}

/** For values other than request bodies. Loads Ajv at first use. */
export async function compileCheck(schema: JsonSchema): Promise<(value: unknown) => Detail[]> {
  const { createCompilers } = await import('./compilers.ts')
  const compile = createCompilers().factory.buildValidator({}, ajvOptions)
  const route = { schema, method: '', url: '', httpPart: 'body' }
  const validate = compile(route) as Validate // as in Fastify
  return (value) => (validate(value) === true ? [] : describeValidation(validate.errors ?? []))
}

/** Converts Ajv errors to `details` (spec section 7). */
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
