import fc from 'fast-check'
import type { Schema } from '../../test/openapi/schemas.ts'
import { slot, type Value } from './described.ts'
import { textsOf as someTexts } from './hostile.ts'

const pick = fc.nat({ max: 999 })
const ofSlot = (name: string) => pick.map((number): Value => slot(name, number))

/** Values by name: values that the service knows or accepts. */
const byName: Readonly<Record<string, fc.Arbitrary<Value>>> = {
  username: fc.oneof(ofSlot('newName'), ofSlot('name')),
  password: ofSlot('password'),
  current_password: ofSlot('password'),
  new_password: ofSlot('newPassword'),
  token: ofSlot('token'),
  refresh_token: ofSlot('refresh_token'),
  access_token: ofSlot('token'),
  jti: ofSlot('jti'),
  user_id: ofSlot('users'),
  totp: ofSlot('totp'),
  recovery_code: ofSlot('recovery_codes'),
  captcha: ofSlot('captcha'),
  cursor: ofSlot('next'),
  request_id: ofSlot('request_id'),
  provider: fc.constantFrom('default', 'default', 'acme'),
  return_to: fc.constantFrom('/', '/console'),
  state: ofSlot('state'),
  roles: fc.subarray(['USER', 'EDITOR', 'ADMIN', 'ROLE_USER'], { minLength: 1 }),
  email: pick.map((number) => `user${number}@example.org`),
  created_at: fc.constantFrom('2026-03-02T09:00:00.000Z', '2026-03-02T09:00:00+02:00'),
  since: fc.constantFrom('2026-03-02T09:00:00.000Z', '2026-03-02T09:00:00+02:00'),
  until: fc.constantFrom('2036-03-02T09:00:00.000Z'),
  password_hash: fc.constantFrom(
    '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$Yq3F2xZbJTiXO8w4l7x8PEQ1vG1a3p8c0b6lWQyqA3M',
    '$2b$10$abcdefghijklmnopqrstuuwrsUkKBmBEvvMFDqZKbTDQ3aYnJqd5m',
  ),
}
/** Fields that change permissions: rarely, because most later requests would be rejected. */
const rarely = new Set([
  'must_change',
  'user_id',
  'locked',
  'active',
  'captcha',
  'totp',
  'recovery_code',
  'new_password',
  'roles',
])

/** Values that a schema allows; `examples` of the document are among them. */
export function valuesOf(schema: Schema, name = '', path = ''): fc.Arbitrary<Value> {
  if (path === '/login' && name === 'username') return fc.oneof(ofSlot('login'), ofSlot('name'))
  const known = byName[name]
  if (known) return known
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const several: Schema[] | undefined = schema.oneOf ?? schema.anyOf
  if (several) return fc.oneof(...several.map((one) => valuesOf(one, name, path)))
  const type = [schema.type].flat()[0]
  if (type === 'object' || schema.properties) return objectsOf(schema, path)
  if (type === 'array') {
    const { items = {}, minItems = 0, maxItems = 5 } = schema
    const maxLength = Math.min(maxItems, 5)
    return fc.array(valuesOf(items, '', path), { minLength: minItems, maxLength })
  }
  if (type === 'integer' || type === 'number') return numbersOf(schema)
  if (type === 'boolean') return fc.boolean()
  if (type === 'string') return textsOf(schema)
  return fc.jsonValue({ maxDepth: 2 })
}

function objectsOf({ properties = {}, required = [] }: Schema, path: string): fc.Arbitrary<Value> {
  const names = Object.keys(properties)
  const parts = names.map((name) => {
    const values = valuesOf(properties[name], name, path)
    if (required.includes(name)) return values
    const weight = rarely.has(name) ? 1 : 9
    return fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight, arbitrary: values })
  })
  return fc.tuple(...parts).map((values) => {
    const given = names.map((name, at) => [name, values[at]] as const)
    return Object.fromEntries(given.filter(([, value]) => value !== undefined))
  })
}

function numbersOf({ minimum = -(2 ** 31), maximum = 2 ** 53 - 1 }: Schema): fc.Arbitrary<Value> {
  const small = fc.integer({ min: minimum, max: Math.min(maximum, minimum + 30) })
  return fc.oneof(
    { weight: 6, arbitrary: small },
    { weight: 1, arbitrary: fc.constantFrom(minimum, maximum) },
  )
}

const longest = 25_000

function textsOf({ minLength = 0, maxLength = 60, pattern, format }: Schema): fc.Arbitrary<Value> {
  if (format === 'email') return byName.email ?? fc.constant('a@example.org')
  if (format === 'date-time') return byName.created_at ?? fc.constant('')
  if (pattern !== undefined) return matching(pattern)
  const max = Math.min(maxLength, longest)
  const some = someTexts({ minLength, maxLength: Math.min(max, minLength + 20) })
  const atLimits = fc.constantFrom('x'.repeat(minLength), 'x'.repeat(max), '\u{1f600}'.repeat(max))
  return fc.oneof({ weight: 6, arbitrary: some }, { weight: 1, arbitrary: atLimits })
}

function matching(pattern: string): fc.Arbitrary<Value> {
  try {
    return fc.stringMatching(new RegExp(pattern))
  } catch {
    return fc.string({ minLength: 1, maxLength: 30 })
  }
}
