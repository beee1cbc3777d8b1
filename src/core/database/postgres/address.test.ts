import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { inspect } from 'node:util'
import { connectionOf, isUnguarded, parsePostgresAddress } from './address.ts'

const isLoopback = (host: string) => host === 'localhost' || host === '127.0.0.1' || host === '::1'
const parse = (text: string) => parsePostgresAddress(text, isLoopback)

suite('DATABASE_URL', () => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  after(() => rmSync(directory, { recursive: true }))

  test('names host, port, database, user and password', () => {
    const address = parse('postgresql://gate:p%40ss%2F%3A@db.example.org:6432/id')
    const { host, port, database, user, password, application_name } = connectionOf(address)
    assert.deepEqual(
      { host, port, database, user, password, application_name },
      {
        host: 'db.example.org',
        port: 6432,
        database: 'id',
        user: 'gate',
        password: 'p@ss/:',
        application_name: 'gatehouse',
      },
    )
    assert.equal(parse('postgres://gate:a,b@db/id').password?.reveal(), 'a,b')
    assert.equal(parse('postgres://gate@[::1]/id').host, '::1')
    assert.equal(parse('postgres://gate@localhost/id').port, 5432)
    assert.equal(parse('postgres://gate@x/id?host=/run/postgresql').host, '/run/postgresql')
  })

  test('never shows its password', () => {
    const address = parse('postgres://gate:hidden-word@localhost/id')
    assert.doesNotMatch(inspect(address, { depth: 9 }) + JSON.stringify(address), /hidden-word/)
  })

  const modes: readonly [string, boolean | 'off', boolean][] = [
    ['postgres://g@db.example.org/id', true, false],
    ['postgres://g@db.example.org/id?sslmode=require', true, false],
    ['postgres://g@db.example.org/id?sslmode=verify-full', true, false],
    ['postgres://g@db.example.org/id?sslmode=no-verify', false, true],
    ['postgres://g@db.example.org/id?sslmode=disable', 'off', true],
    ['postgres://g@localhost/id', 'off', false],
    ['postgres://g@127.0.0.1/id?sslmode=require', true, false],
    ['postgres://g@x/id?host=/run/postgresql', 'off', false],
  ]
  for (const [url, verifies, unguarded] of modes) {
    test(`TLS of ${url}: ${verifies === 'off' ? 'none' : verifies ? 'verified' : 'not verified'}`, () => {
      const address = parse(url)
      const { ssl } = connectionOf(address)
      assert.equal(ssl === false ? 'off' : ssl.rejectUnauthorized, verifies)
      assert.equal(isUnguarded(address, isLoopback), unguarded)
    })
  }

  test('binds a password to the channel of TLS, where there is one', () => {
    const bindsAt = (url: string) => connectionOf(parse(url)).enableChannelBinding
    assert.equal(bindsAt('postgres://g@x/id'), true)
    assert.equal(bindsAt('postgres://g@x/id?sslmode=disable'), false)
  })

  test('takes an authority and a client certificate from files', () => {
    const file = (name: string) => {
      const path = join(directory, name)
      writeFileSync(path, `PEM of ${name}`)
      return path
    }
    const files = `sslrootcert=${file('ca')}&sslcert=${file('cert')}&sslkey=${file('key')}`
    assert.deepEqual(connectionOf(parse(`postgres://g@db.example.org/id?${files}`)).ssl, {
      rejectUnauthorized: true,
      ca: 'PEM of ca',
      cert: 'PEM of cert',
      key: 'PEM of key',
    })
  })

  const refused: readonly [string, RegExp][] = [
    ['mysql://g@x/id', /must be empty, or postgres:/],
    ['localhost/id', /must be empty, or postgres:/],
    ['postgres://g@localhost', /must name/],
    ['postgres://localhost/id', /must name/],
    ['postgres://g@localhost/id/more', /must name/],
    ['postgres:///id', /must name/],
    ['postgres://g:secret%zz@localhost/id', /no escape/],
    ['postgres://g@x/id?sslmode=prefer', /sslmode/],
    ['postgres://g@x/id?sslmode=allow', /sslmode/],
    ['postgres://g@x/id?sslrootcert=/nowhere', /sslrootcert/],
    ['postgres://g:secret@one:5432,two:5432/id', /names several hosts/],
    ['postgres://g@one,two/id?target_session_attrs=read-write', /names several hosts/],
    ['postgres://g@x/id?host=one,two', /names several hosts/],
    ['postgres://g@x/id?pool=5', /not supported: pool/],
  ]
  for (const [url, reason] of refused) {
    test(`${url} is a mistake`, () => {
      assert.throws(() => parse(url), reason)
      assert.throws(
        () => parse(url),
        ({ message }: Error) => !message.includes('secret'),
      )
    })
  }
})
