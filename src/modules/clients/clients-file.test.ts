import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { loadConfig } from '../../../test/config.ts'
import { ConfigError } from '../../core/config/load.ts'
import { clientsText, parseClients } from './clients-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const hashed = (text: string) => `sha256:${hash('sha256', text, 'hex')}`
const [one, two, three] = ['one', 'two', 'three'].map((name) =>
  hashed(`a secret of 32 random bytes, ${name}`),
)
const shop = { id: 'shop', secret_hash: one, audiences: ['api'], may: ['introspect', 'revoke'] }
const listed = (...clients: unknown[]) => JSON.stringify({ clients })
const mistakesOf = (text: string) => parseClients(text).mistakes

const aHash = 'must have a secret_hash "sha256:<64 hex digits>", or 1 to 2 of them as secret_hashes'
const anId =
  'must have an id of 1 to 64 letters, digits, ".", "_" and "-" that begins with a letter or a digit'
const audiences = 'must have a list of audiences, each of 1 to 256 characters'
const may = 'must have a list "may" of introspect, revoke, metrics, each once'
const known = 'has a secret_hash that is the hash of a secret that is known or short'

suite('a file of clients', () => {
  test('its clients, with one secret, and with two during a rotation', () => {
    const rotating = {
      ...shop,
      id: 'Api-2.x_y',
      secret_hash: undefined,
      secret_hashes: [two, three],
    }
    const text = listed(shop, rotating)
    const { clients, mistakes } = parseClients(text)
    assert.deepEqual(mistakes, [])
    assert.deepEqual(clients, [
      {
        id: 'shop',
        secretHashes: [one?.slice(7)],
        audiences: ['api'],
        may: ['introspect', 'revoke'],
      },
      {
        id: 'Api-2.x_y',
        secretHashes: [two?.slice(7), three?.slice(7)],
        audiences: ['api'],
        may: ['introspect', 'revoke'],
      },
    ])
    assert.deepEqual(parseClients(clientsText(clients)), { clients, mistakes: [] })
    assert.deepEqual(
      parseClients(listed({ ...shop, secret_hash: one?.toUpperCase().replace('SHA', 'sha') }))
        .clients[0]?.secretHashes,
      [one?.slice(7)],
    )
    assert.deepEqual(parseClients('{"clients": []}'), { clients: [], mistakes: [] })
  })

  const wholes: Record<string, string> = {
    '': 'is not JSON',
    '{': 'is not JSON',
    '[]': 'must be an object with a list "clients"',
    null: 'must be an object with a list "clients"',
    '{"clients":{}}': 'must be an object with a list "clients"',
    '{"clients":[],"client":[]}': 'has an unknown field "client"',
    [listed(7)]: 'client 1 must be an object',
    [listed(shop, { ...shop, secret_hash: two })]: 'has the client shop twice',
    [listed(shop, { ...shop, id: 'b' })]: 'client b has a secret_hash of client shop',
  }
  for (const [text, mistake] of Object.entries(wholes)) {
    test(`${text.slice(0, 40)}: ${mistake}`, () => assert.deepEqual(mistakesOf(text), [mistake]))
  }

  const entries: readonly (readonly [what: string, change: object, mistake: string])[] = [
    ...['', 'a:b', 'a b', '-a', '.', 'ä', 'a\u0000', 'a\n', 'x'.repeat(65), 7, null, undefined].map(
      (id) => [`the id ${JSON.stringify(id)}`, { id }, `client 1 ${anId}`] as const,
    ),
    ...[
      undefined,
      null,
      7,
      '',
      'sha256:',
      one?.slice(7),
      `${one}0`,
      `${one} `,
      one?.replace('sha256', 'md5'),
      `sha256:${'g'.repeat(64)}`,
      [one],
    ].map(
      (secret_hash) =>
        [
          `the hash ${JSON.stringify(secret_hash)}`,
          { secret_hash },
          `client 1 (shop) ${aHash}`,
        ] as const,
    ),
    [
      'no hash in a list',
      { secret_hash: undefined, secret_hashes: [] },
      `client 1 (shop) ${aHash}`,
    ],
    [
      'three hashes',
      { secret_hash: undefined, secret_hashes: [one, two, three] },
      `client 1 (shop) ${aHash}`,
    ],
    [
      'one hash twice',
      { secret_hash: undefined, secret_hashes: [one, one] },
      'client 1 (shop) has the same hash twice',
    ],
    [
      'both fields',
      { secret_hashes: [two] },
      'client 1 (shop) has secret_hash and secret_hashes: one of them is enough',
    ],
    ...[undefined, [], 'api', [''], ['api', 7], ['a\u0007'], ['x'.repeat(257)]].map(
      (list) => ['audiences', { audiences: list }, `client 1 (shop) ${audiences}`] as const,
    ),
    ...[undefined, [], 'revoke', ['fly'], ['revoke', 'fly'], ['revoke', 'revoke'], [7]].map(
      (list) => ['may', { may: list }, `client 1 (shop) ${may}`] as const,
    ),
    ['an unknown field', { secret: 'x' }, 'client 1 (shop) has an unknown field "secret"'],
    [
      'a field of others',
      { '\u001b[31m': 1 },
      'client 1 (shop) has an unknown field "\\u001b[31m"',
    ],
  ]
  for (const [what, change, mistake] of entries) {
    test(`${what} ${JSON.stringify(change).slice(0, 60)} is refused`, () => {
      assert.deepEqual(mistakesOf(listed({ ...shop, ...change })), [mistake])
    })
  }

  test('hashes of secrets that are empty, short, known, made of the id, or no secrets', () => {
    const secrets = ['x', 'ab', '42', '2026', 'secret', 'changeme', 'password123456', 'b8123', 'b9']
    const texts = [...secrets, 'b10-secret', 'your-256-bit-secret-your-256-bit-secret']
    const clients = ['', ...texts].map((text, n) => ({
      ...shop,
      id: `b${n}`,
      secret_hash: hashed(text),
    }))
    const zeros = { ...shop, id: 'zeros', secret_hash: `sha256:${'0'.repeat(64)}` }
    const names = ['b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7', 'b8', 'b9', 'b10', 'b11']
    assert.deepEqual(mistakesOf(listed(...clients, zeros)), [
      'client b0 has a secret_hash that is the hash of an empty secret',
      ...names.map((id) => `client ${id} ${known}`),
      'client zeros has a secret_hash that is no hash of a secret: its bytes repeat',
    ])
  })
})

suite('CLIENTS_FILE', () => {
  const place = (text: string, name: string, mode = 0o600) => {
    const path = join(folder, name)
    writeFileSync(path, text)
    chmodSync(path, mode)
    return path
  }
  const refusalOf = (env: Record<string, string>): readonly string[] => {
    try {
      loadConfig(env)
    } catch (error) {
      assert.ok(error instanceof ConfigError)
      return error.mistakes
    }
    return []
  }

  test('is read with the settings', () => {
    const path = place(listed(shop), 'good')
    const { clients, warnings } = loadConfig({ CLIENTS_FILE: path })
    assert.deepEqual(
      clients.atStart.map(({ id }) => id),
      ['shop'],
    )
    assert.deepEqual([clients.file, warnings], [path, []])
    assert.deepEqual(loadConfig({}).clients, { file: undefined, atStart: [] })
  })

  test('all mistakes of a file that is bad in five ways, beside those of other settings', () => {
    const { id: _, ...nameless } = shop
    const path = place(
      listed(
        { ...shop, may: ['fly'] },
        nameless,
        { ...shop, audiences: [], secret_hash: two },
        {
          ...shop,
          id: 'b',
          secret_hash: hashed('secret'),
          more: 1,
        },
      ),
      'bad',
    )
    assert.deepEqual(refusalOf({ CLIENTS_FILE: path, PORT: 'x' }), [
      'PORT must be a whole number from 0 to 65535',
      ...[
        `client 1 (shop) ${may}`,
        `client 2 ${anId}`,
        `client 3 (shop) ${audiences}`,
        'client 4 (b) has an unknown field "more"',
        'has the client shop twice',
        `client b ${known}`,
      ].map((line) => `CLIENTS_FILE ${line}`),
    ])
  })

  test('a file that cannot be read, is a folder, or is too long', () => {
    mkdirSync(join(folder, 'folder'))
    symlinkSync(join(folder, 'nothing'), join(folder, 'dangling'))
    const long = place(' '.repeat(1_048_577), 'long')
    for (const [path, mistake] of [
      [join(folder, 'none'), 'which cannot be read (ENOENT)'],
      [join(folder, 'dangling'), 'which cannot be read (ENOENT)'],
      [join(folder, 'folder'), 'which is no file'],
      ['/dev/zero', 'which is no file'],
      [long, 'which is longer than 1 MiB'],
    ] as const) {
      assert.deepEqual(refusalOf({ CLIENTS_FILE: path }), [
        `CLIENTS_FILE names ${path}, ${mistake}`,
      ])
    }
  })

  test('a file that others can read, and a client that no token is for, are warnings', () => {
    const path = place(listed({ ...shop, audiences: ['billing'] }), 'open', 0o644)
    const { warnings } = loadConfig({ CLIENTS_FILE: path })
    assert.deepEqual(warnings, [
      `CLIENTS_FILE: ${path} can be read by other users of this machine`,
      'CLIENTS_FILE: client shop finds every token inactive: none has another aud than api',
    ])
    assert.deepEqual(
      loadConfig({ CLIENTS_FILE: path, TOKEN_AUDIENCE: 'billing' }).warnings.length,
      1,
    )
  })
})
