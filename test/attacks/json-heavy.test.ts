import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { cpuOf } from '../clock.ts'

suite('input that is meant to be expensive', async () => {
  const app = await testApp()
  const json = { ...(await app.bearer(app.admin)), 'content-type': 'application/json' }

  async function post(path: string, body: string) {
    const { cpuMs, result } = await cpuOf(() => app.call('POST', path, { headers: json, body }))
    assert.ok(cpuMs < 1000, `${path} cost ${cpuMs} ms`)
    return result
  }

  const deep = 100_000
  const heavy: Readonly<Record<string, string>> = {
    'arrays 100,000 deep': '['.repeat(deep) + ']'.repeat(deep),
    'objects 100,000 deep': `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`,
    'arrays 100,000 deep and never closed': '['.repeat(deep),
    'objects in arrays that never close': '[{"":'.repeat(deep),
    'depth around a prototype': `${'{"a":'.repeat(deep)}{"__proto__":1}${'}'.repeat(deep)}`,
    'a name that is 100,000 deep': `{"name":${'['.repeat(deep)}${']'.repeat(deep)},"email":"x"}`,
    'a megabyte of digits': '1'.repeat(1_000_000),
    'a name of a megabyte of digits': `{"name":${'9'.repeat(1_000_000)},"email":"x"}`,
    'a fraction of a megabyte': `{"name":0.${'0'.repeat(900_000)}1e-99999,"email":"x"}`,
    'an exponent of a megabyte': `{"name":1e${'9'.repeat(1_000_000)},"email":"x"}`,
    'names by the ten thousand': `{${keys((index) => `k${index}`)}}`,
    'names that are indices': `{${keys((index) => `${index * 64}`)}}`,
    'names that are far indices': `{${keys((index) => `${(index % 64) * 2 ** 24 + index}`)}}`,
    'one name again and again': `{${keys(() => 'name')}}`,
    'names of no length that differ in zeros': `{${keys((index) => '0'.repeat(index % 300))}}`,
    escapes: `{"name":"${'\\u0061'.repeat(150_000)}","email":"x"}`,
    'lone surrogates': `{"name":"${'\\ud800'.repeat(150_000)}","email":"x"}`,
    'white space': `{${' \n\t'.repeat(300_000)}}`,
  }
  for (const [what, body] of Object.entries(heavy)) {
    test(`T74: ${what} is refused within a second of work`, async () => {
      const before = await app.rows()
      for (const path of ['/users', '/api/v2/users', '/login', '/refresh', '/api/admin/accounts']) {
        const answer = await post(path, body)
        assert.ok([400, 401, 413].includes(answer.status), `${path} ${answer.status}`)
        assert.ok(answer.status !== 413 || body.length > limitOf(path), path)
      }
      const unread = `{"name":"Ann","email":"ann@example.org","unread":${body}}`
      const answer = await post('/users', unread)
      assert.ok([201, 400, 413].includes(answer.status), String(answer.status))
      await app.deps.db.deleteFrom('users').where('name', '=', 'Ann').execute()
      assert.deepEqual((await app.rows()).accounts, before.accounts)
      assert.equal((await app.call('GET', '/health/live')).status, 200)
    })
  }

  const long = 65_536
  const emails = [
    `a@${'a.'.repeat(long)}`,
    `${'a'.repeat(long)}@`,
    `${'a.'.repeat(long)}@example.org`,
    `a@${'a-'.repeat(long)}.example`,
    `a@${'a'.repeat(long)}!`,
    '@'.repeat(long),
    `${'"'.repeat(long)}@x.example`,
    `a@${'a.'.repeat(120)}!`, // within 254 characters, where the pattern does run
    `${'a.'.repeat(31)}a@${'a.'.repeat(90)}-`,
    `a@${'a-'.repeat(110)}-`,
    `a@${'a'.repeat(63)}.${'a'.repeat(63)}.${'a'.repeat(63)}.!`,
  ]
  test('T74: hostile e-mail addresses, names and user names cost nothing', async () => {
    const before = await app.rows('login_places')
    for (const text of [
      ...emails,
      ...['e\u0301', '\u200d', '\ufdfa', ' ', '\u{1f468}'].map(times(long)),
    ]) {
      for (const body of [
        { name: 'Ann', email: text },
        { name: text.repeat(2), email: 'x' },
      ]) {
        const answer = await post('/users', JSON.stringify(body))
        assert.deepEqual([answer.status, answer.body.error], [400, 'Validation failed'])
      }
      const username = (text + text).slice(0, 2500)
      const login = await post('/login', JSON.stringify({ username, password: 'x' }))
      assert.ok([401, 429].includes(login.status), String(login.status))
    }
    assert.deepEqual((await app.rows('login_places')).users, before.users)
  })

  const names = ['origin', 'cookie', 'authorization', 'accept', 'accept-encoding', 'range', 'host']
  const more = ['content-type', 'if-none-match', 'x-forwarded-for', 'forwarded', 'user-agent']
  const fillings = [
    'a',
    ' ',
    'a.',
    ',',
    ';',
    '=',
    '"',
    'a=;',
    '%',
    '0-,',
    '/',
    '\\',
    ':',
    'bytes=0-',
  ]
  test('T74: hostile header fields cost nothing and are never 5xx', async () => {
    for (const name of [...names, ...more]) {
      for (const filling of fillings) {
        for (const prefix of [
          '',
          'Basic ',
          'Bearer ',
          'https://',
          'JSESSIONID=',
          'application/json;',
        ]) {
          const value = prefix + filling.repeat(14_000 / filling.length)
          const headers = { [name]: `${value}!` }
          const { cpuMs, result } = await cpuOf(() => app.call('GET', '/users', { headers }))
          assert.ok(cpuMs < 1000, `${name} ${filling} cost ${cpuMs} ms`)
          assert.ok([400, 401].includes(result.status), `${name} ${filling} ${result.status}`)
        }
      }
    }
  })
})

/** A few fields, or a user. */
function limitOf(path: string): number {
  return path.endsWith('/users') ? 1_048_576 : 16_384
}

function times(count: number) {
  return (text: string): string => text.repeat(count)
}

/** Members of an object, as many as fit into a body. */
function keys(name: (index: number) => string): string {
  const members: string[] = []
  for (let size = 0, index = 0; size < 900_000; index += 1) {
    const member = `"${name(index)}":0`
    members.push(member)
    size += member.length + 1
  }
  return members.join(',')
}
