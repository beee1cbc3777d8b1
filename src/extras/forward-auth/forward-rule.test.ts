import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { contractRoles } from '../../core/policy/principal.ts'
import { parseForwardRule } from './forward-rule.ts'

const wiki = { hosts: ['wiki.example.org'], policy: 'one_factor' }
const parse = (more: object) => parseForwardRule({ ...wiki, ...more }, 7, contractRoles)
const mistakes = (more: object) => parse(more).mistakes

suite('a rule', () => {
  test('accepts app passwords if it says so, and says nothing of them otherwise', () => {
    const any = { paths: null, methods: null, networks: null, roles: null, users: null }
    const rule = { number: 7, ...wiki, ...any }
    assert.deepEqual(parse({}).rule, rule)
    assert.deepEqual(parse({ app_passwords: false }).rule, rule)
    assert.deepEqual(parse({ app_passwords: true }).rule, { ...rule, acceptsAppPasswords: true })
  })

  test('has lists of 10,000 texts at most', () => {
    const users = (count: number) => Array.from({ length: count }, (_, at) => `u${at}`)
    const { mistakes: none, rule } = parse({ users: users(10_000) })
    assert.deepEqual([none, rule.users?.length], [[], 10_000])
    assert.deepEqual(mistakes({ users: users(10_001) }), [
      'must have a list "users" of 1 to 10000 texts',
    ])
  })

  test('has hosts of 261 characters and paths of 2048 at most', () => {
    const host = `*.${'a.'.repeat(129)}a`
    assert.deepEqual([host.length, mistakes({ hosts: [host] })], [261, []])
    assert.deepEqual(mistakes({ hosts: [`${host}a`] }), [
      `has the host "${host.slice(0, 128)}", which is no host name, and not "*." with one`,
    ])
    const path = `/${'a'.repeat(2047)}`
    assert.deepEqual(mistakes({ paths: [path] }), [])
    assert.deepEqual(mistakes({ paths: [`${path}a`] }), [
      `has the path "${path.slice(0, 128)}", which is longer than 2048 characters`,
    ])
  })

  test('has roles that are only read if the roles of the service are not known', () => {
    const roles = ['ROLE_AUDITOR', 'USER']
    const { mistakes: none, rule } = parseForwardRule({ ...wiki, roles }, 1, null)
    assert.deepEqual([none, rule.roles], [[], ['AUDITOR', 'USER']])
  })
})
