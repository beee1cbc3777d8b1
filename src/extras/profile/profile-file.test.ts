import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { maxTokenBytes, parseProfileFile, readProfileFile } from './profile-file.ts'

const file = (properties: object, more: object = {}) =>
  parseProfileFile(JSON.stringify({ type: 'object', properties, ...more }))
const mistakesOf = (field: object, more?: object) => file({ field }, more).mistakes

suite('PROFILE_FILE', () => {
  test('without the setting there are no fields', () => {
    assert.deepEqual(readProfileFile(undefined), { fields: [], mistakes: [] })
  })

  test('a field has defaults: for its owner to read, for an administrator to write', () => {
    const { fields, mistakes } = file({ cost_center: { type: 'string' } })
    assert.deepEqual(mistakes, [])
    assert.deepEqual(fields, [
      {
        ...{ name: 'cost_center', type: 'string', enum: null },
        labels: { en: 'cost center', de: 'cost center' },
        ...{ read: 'owner', write: 'admin', isUnique: false, isRequired: false, isAtSignUp: false },
        schema: { type: 'string', minLength: 1, maxLength: 200, format: 'text' },
        claims: [],
      },
    ])
  })

  test('bounds, choices, labels, rights and claims are taken up', () => {
    const shift = { type: 'integer', minimum: 1, maximum: 3, title: 'Shift' }
    const { fields } = file(
      {
        shift,
        size: {
          ...{ type: 'string', enum: ['S', 'M'], labels: { en: 'Size', de: 'Größe' } },
          ...{ read: 'public', write: 'owner', claims: ['userinfo'] },
        },
      },
      { required: ['size'] },
    )
    const [first, second] = fields
    assert.deepEqual(first?.schema, { type: 'integer', minimum: 1, maximum: 3 })
    assert.deepEqual(first?.labels, { en: 'Shift', de: 'Shift' })
    assert.deepEqual(second?.enum, ['S', 'M'])
    assert.deepEqual([second?.isRequired, second?.isAtSignUp], [true, true])
    assert.deepEqual(
      [second?.read, second?.write, second?.claims],
      ['public', 'owner', ['userinfo']],
    )
  })

  const refusals: readonly (readonly [string, object, string])[] = [
    ['no type', {}, 'must have a "type": one of string, number, integer, boolean'],
    [
      'an object',
      { type: 'object', properties: {} },
      'must have a "type": one of string, number, integer, boolean',
    ],
    [
      'a reference',
      { type: 'string', $ref: '#' },
      'refers to another schema with "$ref", which is not supported',
    ],
    [
      'a nested field',
      { type: 'string', properties: {} },
      'is nested ("properties"): a field has one value of a simple type',
    ],
    [
      'a pattern',
      { type: 'string', pattern: '(a+)+$' },
      'has a "pattern", which is not supported: use "format" or "enum"',
    ],
    [
      'an unknown word',
      { type: 'string', maximum: 1 },
      'has "maximum", which a field of the type string cannot have',
    ],
    [
      'an unknown reader',
      { type: 'string', read: 'everyone' },
      'has a "read" that is not one of admin, owner, public',
    ],
    [
      'a public writer',
      { type: 'string', write: 'public' },
      'has a "write" that is not one of admin, owner',
    ],
    [
      'a hidden field of its owner',
      { type: 'string', read: 'admin', write: 'owner' },
      'is written by its owner, who may not read it',
    ],
    [
      'a hidden claim',
      { type: 'string', read: 'admin', claims: ['userinfo'] },
      'has claims, which its owner may not read',
    ],
    [
      'an unknown place of a claim',
      { type: 'string', claims: ['cookie'] },
      'has "claims" that are no list of access_token, id_token, userinfo',
    ],
    [
      'null as claims',
      { type: 'string', claims: null },
      'has "claims" that are no list of access_token, id_token, userinfo',
    ],
    [
      'an object as claims',
      { type: 'string', claims: { length: 0 } },
      'has "claims" that are no list of access_token, id_token, userinfo',
    ],
    ['a unique boolean', { type: 'boolean', unique: true }, 'is unique, which a boolean cannot be'],
    [
      'too long texts',
      { type: 'string', maxLength: 1001 },
      'has a "minLength" or "maxLength" that is not 1 to 1000',
    ],
    [
      'crossed lengths',
      { type: 'string', minLength: 3, maxLength: 2 },
      'has a "minLength" above its "maxLength"',
    ],
    [
      'crossed bounds',
      { type: 'number', minimum: 2, maximum: 1 },
      'has a "minimum" above its "maximum"',
    ],
    [
      'an unknown format',
      { type: 'string', format: 'regex' },
      'has a "format" that is not one of email, date, date-time, uri',
    ],
    [
      'a choice of another type',
      { type: 'string', enum: [1] },
      'has an "enum" with a value of another type or outside of the bounds',
    ],
    [
      'a choice that is there twice',
      { type: 'string', enum: ['a', 'a'] },
      'has a value twice in its "enum"',
    ],
    [
      'no choices',
      { type: 'string', enum: [] },
      'has an "enum" that is no list of 1 to 100 values',
    ],
    [
      'an empty label',
      { type: 'string', labels: { en: ' ' } },
      'has a label that is not a text of 1 to 100 characters',
    ],
    [
      'a label of another language',
      { type: 'string', labels: { fr: 'Taille' } },
      'has a label for the language "fr"; there are en and de',
    ],
  ]
  for (const [what, field, message] of refusals) {
    test(`${what} is refused`, () => {
      assert.deepEqual(mistakesOf(field), [`field "field" ${message}`])
      assert.deepEqual(file({ field, good: { type: 'string' } }).fields, [])
    })
  }

  test('names of claims and of account fields are refused', () => {
    const taken = 'has the name of a claim or of an account field: choose another name'
    for (const name of ['sub', 'roles', 'email', 'given_name', 'username', 'constructor', 'type']) {
      assert.deepEqual(file({ [name]: { type: 'string' } }).mistakes, [`field "${name}" ${taken}`])
    }
  })

  test('other names are 1 to 40 small letters, digits and _', () => {
    const form =
      'has a name that is not 1 to 40 small letters, digits and _, beginning with a letter'
    for (const name of ['', 'Size', '1st', 'a-b', 'ä', 'a'.repeat(41)]) {
      assert.deepEqual(file({ [name]: { type: 'string' } }).mistakes, [`field "${name}" ${form}`])
    }
    const proto = parseProfileFile('{"properties":{"__proto__":{"type":"string"}}}')
    assert.deepEqual(proto.mistakes, [`field "__proto__" ${form}`])
  })

  test('what is required must be there, and be written by its owner', () => {
    assert.deepEqual(file({}, { required: ['size'] }).mistakes, [
      'requires the field "size", which is not in "properties"',
    ])
    assert.deepEqual(mistakesOf({ type: 'string' }, { required: ['field'] }), [
      'field "field" is required, but its owner may not write it: "write" must be "owner"',
    ])
  })

  test('a thousand fields are one mistake', () => {
    const thousand = Array.from({ length: 1000 }, (_, index) => [`f${index}`, { type: 'string' }])
    assert.deepEqual(file(Object.fromEntries(thousand)), {
      fields: [],
      mistakes: ['has 1000 fields; at most 100 are allowed'],
    })
  })

  test('schemas that refer to themselves, and deep nesting, are refused at once', () => {
    const recursive = { $defs: { node: { $ref: '#/$defs/node' } }, $ref: '#/$defs/node' }
    assert.deepEqual(file({}, recursive).mistakes, [
      'has "$defs": references to schemas are not supported',
      'has "$ref": references to schemas are not supported',
    ])
    const deep = `{"properties":{"a":${'{"type":"object","properties":{"a":'.repeat(3000)}{}${'}}'.repeat(3000)}}}`
    assert.deepEqual(parseProfileFile(deep).mistakes, [
      'field "a" must have a "type": one of string, number, integer, boolean',
    ])
  })

  test('claims of access tokens must fit into the tokens', () => {
    const claims = ['access_token']
    const { mistakes } = file({ long: { type: 'string', maxLength: 600, claims } })
    assert.deepEqual(mistakes, [
      `puts up to 2410 bytes into access tokens; at most ${maxTokenBytes} fit: shorten "maxLength" or use "userinfo"`,
    ])
    assert.deepEqual(file({ long: { type: 'string', maxLength: 500, claims } }).mistakes, [])
    assert.deepEqual(mistakesOf({ type: 'string', maxLength: 600, claims: ['userinfo'] }), [])
  })

  test('a file that is no JSON, or no schema, has one mistake', () => {
    assert.match(parseProfileFile('{').mistakes.join(), /^is not JSON/)
    for (const text of ['[]', '1', '{}', '{"properties":[]}']) {
      assert.deepEqual(parseProfileFile(text).mistakes, [
        'must be a JSON Schema with an object "properties"',
      ])
    }
    assert.deepEqual(parseProfileFile('{"properties":{},"properties":{}}').mistakes, [
      'has "properties" twice in one object (line 1)',
    ])
    assert.deepEqual(readProfileFile('/nowhere/profile.json').mistakes, [
      'PROFILE_FILE names /nowhere/profile.json, which cannot be read (ENOENT)',
    ])
  })
})
