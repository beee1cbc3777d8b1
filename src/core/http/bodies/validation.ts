import type { FastifySchemaValidationError } from 'fastify'
import { isEmail } from '../../addresses/email.ts'
import type { Detail } from '../../errors.ts'
import type { Words } from '../../lib/languages.ts'
import { isStorableText, unstorable } from '../../lib/text.ts'
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
    const field = keyword === 'required' ? [String(params.missingProperty)] : []
    const words = describe(keyword, params, message)
    return { path: [...path, ...field], message: words.en, words }
  })
}

function describe(keyword: string, params: Record<string, unknown>, message: string): Words {
  const { allowedValues, format, limit, type } = params
  if (keyword === 'required') return { en: 'is required', de: 'fehlt' }
  if (keyword === 'format' && format === 'email') {
    return { en: 'must be an e-mail address', de: 'muss eine E-Mail-Adresse sein' }
  }
  if (keyword === 'format' && format === 'text') return unstorable
  if (keyword === 'enum' && Array.isArray(allowedValues)) {
    const values = allowedValues.join(', ')
    return { en: `must be one of ${values}`, de: `muss eines von diesen sein: ${values}` }
  }
  return { en: message, de: inGerman[keyword]?.(limit ?? type ?? format) ?? 'ist ungültig' }
}

type InGerman = (value: unknown) => string

/** Of the keywords of JSON Schema, by what each allows. */
const inGerman: Readonly<Record<string, InGerman>> = {
  additionalProperties: () => 'hat ein unbekanntes Feld',
  exclusiveMaximum: (limit) => `muss kleiner als ${limit} sein`,
  exclusiveMinimum: (limit) => `muss größer als ${limit} sein`,
  format: (format) => `muss die Form „${format}“ haben`,
  maxItems: (limit) => `darf höchstens ${limit} Einträge haben`,
  maxLength: (limit) => `darf höchstens ${limit} Zeichen haben`,
  maxProperties: (limit) => `darf höchstens ${limit} Felder haben`,
  maximum: (limit) => `darf höchstens ${limit} sein`,
  minItems: (limit) => `muss mindestens ${limit} Einträge haben`,
  minLength: (limit) => `muss mindestens ${limit} Zeichen haben`,
  minProperties: (limit) => `muss mindestens ${limit} Felder haben`,
  minimum: (limit) => `muss mindestens ${limit} sein`,
  pattern: () => 'hat nicht die verlangte Form',
  type: (type) => `muss vom Typ ${[type].flat().join(' oder ')} sein`,
  uniqueItems: () => 'darf keinen Eintrag zweimal haben',
}
