import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { format, inspect } from 'node:util'
import { Secret } from '../crypto/secret.ts'
import { integer, list, oneOf, optional, readSettings, secret, text } from './kinds.ts'

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
after(() => rmSync(directory, { recursive: true }))

function file(name: string, content: string, mode = 0o600): string {
  const path = join(directory, name)
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
}

const table = {
  TEXT: text({ default: 'a', doc: '' }),
  NUMBER: integer({ default: 7, min: 1, doc: '' }),
  BOUNDED: integer({ default: 7, min: 0, max: 10, doc: '' }),
  CHOICE: oneOf({ default: 'one', values: ['one', 'two'], doc: 'A choice.' }),
  LIST: list({ parse: (item) => item.toUpperCase(), doc: '' }),
  OPTIONAL: optional({ parse: (value) => value.length, doc: '' }),
  HIDDEN: secret({
    doc: '',
    check: (value) => {
      if (value.length < 4) throw new Error('is too short')
    },
  }),
}
const read = (env: Record<string, string | undefined>) => readSettings(table, env)

suite('settings', () => {
  test('what is not set, or empty, is the default', () => {
    const byDefault = {
      TEXT: 'a',
      NUMBER: 7,
      BOUNDED: 7,
      CHOICE: 'one',
      LIST: [],
      OPTIONAL: undefined,
      HIDDEN: undefined,
    }
    const empty = Object.fromEntries(Object.keys(table).map((name) => [name, '']))
    for (const env of [{}, empty, { TEXT: undefined }, Object.create({ TEXT: '' })]) {
      assert.deepEqual(read(env), { values: byDefault, mistakes: [], warnings: [] })
    }
  })

  test('what is set is read', () => {
    const { values, mistakes } = read({
      TEXT: ' b ',
      NUMBER: '0012',
      CHOICE: 'two',
      LIST: ' a, b ,,c,',
      OPTIONAL: 'four',
    })
    assert.deepEqual(mistakes, [])
    assert.equal(values.TEXT, ' b ')
    assert.deepEqual([values.NUMBER, values.CHOICE, values.OPTIONAL], [12, 'two', 4])
    assert.deepEqual(values.LIST, ['A', 'B', 'C'])
  })

  for (const value of [
    '0',
    '-1',
    '+5',
    '5.0',
    '1e3',
    '0x10',
    ' 5',
    '5 ',
    '5\n',
    'five',
    '٣',
    '9007199254740992',
    '9007199254740993',
    '9'.repeat(400),
    'Infinity',
    'NaN',
  ]) {
    test(`the number ${JSON.stringify(value).slice(0, 30)} is a mistake`, () => {
      assert.deepEqual(read({ NUMBER: value }).mistakes, [
        'NUMBER must be a whole number of at least 1',
      ])
    })
  }

  test('a number has no upper bound but the one that is written down', () => {
    assert.equal(read({ NUMBER: '9007199254740991' }).values.NUMBER, 2 ** 53 - 1)
    assert.deepEqual(read({ BOUNDED: '11' }).mistakes, [
      'BOUNDED must be a whole number from 0 to 10',
    ])
    assert.equal(read({ BOUNDED: '0' }).values.BOUNDED, 0)
  })

  test('all mistakes are told at once, each under the name of its setting', () => {
    const { mistakes } = read({ NUMBER: 'x', BOUNDED: '99', CHOICE: 'One', HIDDEN: 'abc' })
    assert.deepEqual(mistakes, [
      'NUMBER must be a whole number of at least 1',
      'BOUNDED must be a whole number from 0 to 10',
      'CHOICE must be one of one, two',
      'HIDDEN is too short',
    ])
  })

  test('a choice from the prototype is no choice', () => {
    for (const value of ['constructor', '__proto__', 'toString', '0']) {
      assert.equal(read({ CHOICE: value }).mistakes.length, 1)
    }
  })
})

suite('NAME_FILE', () => {
  const contents: readonly [string, string][] = [
    ['secret', 'secret'],
    ['secret\n', 'secret'],
    ['secret\r\n', 'secret'],
    ['secret\n\n', 'secret\n'],
    [' secret ', ' secret '],
    ['two\nlines\n', 'two\nlines'],
  ]
  for (const [content, value] of contents) {
    test(`the file ${JSON.stringify(content)} holds ${JSON.stringify(value)}`, () => {
      const { values, mistakes, warnings } = read({ HIDDEN_FILE: file('s', content) })
      assert.equal(values.HIDDEN?.reveal(), value)
      assert.deepEqual([mistakes, warnings], [[], []])
    })
  }

  test('the value and the file together are a mistake, which shows neither', () => {
    const { mistakes } = read({ HIDDEN: 'in the open', HIDDEN_FILE: file('s', 'in a file') })
    assert.deepEqual(mistakes, ['HIDDEN is set twice, as HIDDEN and as HIDDEN_FILE'])
  })

  test('a file that is missing or a folder is a mistake', () => {
    for (const path of [join(directory, 'missing'), directory, '/dev/null/x', 'a\0b']) {
      assert.deepEqual(read({ HIDDEN_FILE: path }).mistakes, [
        'HIDDEN cannot be read from the file that HIDDEN_FILE names',
      ])
    }
  })

  test('a bad value in a file is the same mistake, and does not show it', () => {
    const { mistakes } = read({ HIDDEN_FILE: file('s', 'abc\n') })
    assert.deepEqual(mistakes, ['HIDDEN is too short'])
  })

  test('a file that others can read is a warning that names the file', () => {
    for (const mode of [0o640, 0o604, 0o644]) {
      const path = file('open', 'secret', mode)
      const { values, warnings } = read({ HIDDEN_FILE: path })
      assert.equal(values.HIDDEN?.reveal(), 'secret')
      assert.deepEqual(warnings, [
        `HIDDEN_FILE: ${path} can be read by other users of this machine`,
      ])
    }
  })

  test('a file of another user may be given to us through its group', (t) => {
    const [given, open] = [file('given', 'secret', 0o440), file('open', 'secret', 0o444)]
    const owned = process as { getuid(): number } // it has one wherever files have owners
    t.mock.method(owned, 'getuid', () => 1 + statSync(given).uid)
    assert.deepEqual(read({ HIDDEN_FILE: given }).warnings, [])
    assert.equal(read({ HIDDEN_FILE: open }).warnings.length, 1)
  })

  test('an empty NAME_FILE is not set, and only secrets have one', () => {
    assert.equal(
      read({ HIDDEN: 'in the open', HIDDEN_FILE: '' }).values.HIDDEN?.reveal(),
      'in the open',
    )
    assert.equal(read({ TEXT_FILE: file('s', 'secret') }).values.TEXT, 'a')
  })
})

suite('a secret', () => {
  const hidden = new Secret('do not show me')
  const showings: Record<string, string> = {
    String: String(hidden),
    template: `${hidden}`,
    JSON: JSON.stringify({ hidden }),
    inspect: inspect({ deep: { hidden } }, { depth: null, showHidden: true }),
    'inspect without custom': inspect(hidden, { customInspect: false, showHidden: true }),
    format: format('%s %o %O %j', hidden, hidden, hidden, hidden),
    keys: JSON.stringify([Object.keys(hidden), Object.getOwnPropertyNames(hidden)]),
    spread: JSON.stringify({ ...hidden }),
    error: inspect(new Error('failed', { cause: hidden })),
    map: inspect(new Map([[hidden, hidden]])),
    clone: inspect(structuredClone(hidden)),
  }
  for (const [way, shown] of Object.entries(showings)) {
    test(`does not show itself by ${way}`, () => assert.doesNotMatch(shown, /do not show me/))
  }

  test('gives itself out by reveal alone', () => {
    assert.equal(hidden.reveal(), 'do not show me')
    assert.equal(String(hidden), '[redacted]')
    assert.equal(JSON.stringify([hidden]), '["[redacted]"]')
    assert.equal(inspect(hidden), '[redacted]')
  })
})
