// A database makes a difference: each takes statements of its own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../app.ts'
import { lastNumber, recordsAfter } from '../audit.ts'
import { countedDatabase } from '../counted-database.ts'
import { newHost } from '../logins.ts'
import { verifyAddress } from '../mail.ts'

// In a process that has seen none of the accounts, as after a start: what it remembers of a person
// must not shorten, and what it has to look for must not lengthen, what a stranger can measure.
const settings = { SIGN_UP: 'open', EMAIL_SIGN_IN: 'on', MAIL_REQUESTS_PER_CLIENT: '0' }
const names = ['unknown', 'known', 'locked', 'disabled', 'unverified'] as const
const counted = await countedDatabase()
const { directory } = counted.options
const maker = await testApp(settings, directory === undefined ? {} : { directory })
let knownId = 0
for (const name of names.slice(1)) {
  const someone = await maker.account(name)
  if (name === 'known') knownId = someone.userId
  const address = `${name}@example.org`
  if (name !== 'unverified') await verifyAddress(maker, someone, address)
}
const asker = await maker.account('asker')
const change = (name: string, json: object) =>
  maker.call('PUT', `/api/admin/accounts/${name}`, { headers: maker.basic(maker.admin), json })
await change('locked', { locked: true })
await change('disabled', { active: false })
const app = await testApp(settings, counted.options)

for (const [path, ask] of [
  ['/api/public/reset', (name: string) => ({ username: name })],
  ['/api/public/reset', (name: string) => ({ email: `${name}@example.org` })],
  ['/api/public/sign-in-code', (name: string) => ({ email: `${name}@example.org` })],
  ['/api/public/sign-up', (name: string) => ({ email: `${name}@example.org` })],
] as const) {
  const field = Object.keys(ask('')).join()
  test(`10: ${path} by ${field} takes the same statements for all, in a new process too`, async () => {
    await app.call('POST', path, { json: ask('first') }) // the audit log opens its chain
    for (const round of ['first', 'again']) {
      const counts = new Map<string, object>()
      for (const name of names) {
        const begin = () => app.call('POST', path, { json: ask(name), from: newHost() })
        const { result, count } = await counted.during(begin)
        assert.equal(result.status, 202, result.text)
        counts.set(name, count)
      }
      for (const [name, count] of counts) {
        assert.deepEqual(count, counts.get('unknown'), `${name}, ${round}`)
      }
    }
  })
}

test('10: an address that another account has takes the same statements as a free one', async () => {
  const headers = await app.bearer(asker)
  const begin = (name: string) =>
    app.call('PUT', '/api/account/email', {
      headers,
      json: { email: `${name}@example.org`, current_password: asker.password },
    })
  await begin('first')
  const free = await counted.during(() => begin('free'))
  assert.equal(free.result.status, 202, free.result.text)
  for (const name of ['known', 'locked', 'disabled', 'unverified']) {
    const { result, count } = await counted.during(() => begin(name))
    assert.deepEqual([result.status, count], [202, free.count], name)
  }
})

test('the record of a mail that a stranger asked for does not say that its owner has acted', async () => {
  for (const [path, json] of [
    ['/api/public/reset', { username: 'known' }],
    ['/api/public/sign-in-code', { email: 'known@example.org' }],
  ] as const) {
    const before = await lastNumber(app.deps)
    await app.call('POST', path, { json, from: newHost() })
    const [record] = await recordsAfter(app.deps, before)
    const { facts, actor, target } = record ?? assert.fail('no record')
    assert.deepEqual(
      [facts.actor, actor?.user_id, target?.user_id],
      ['unknown', undefined, knownId],
    )
  }
})
