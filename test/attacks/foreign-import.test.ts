import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { formatNames } from '../../src/extras/import-export/foreign/formats.ts'
import { testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { nodes } from '../database.ts'
import { foreignExports } from '../foreign-exports.ts'
import { someHash } from '../transfer.ts'

const password = 'quiet melons roll'

suite('hostile exports of other products', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const config = join(app.directory, 'config')
  const file = join(app.directory, 'export')
  const run = (from: string, content: string | Buffer, more = '') => {
    writeFileSync(file, content)
    const options = from === 'firebase' ? `--hash-config ${config}` : ''
    return gatehouse(app.directory, `import --from ${from} ${options} ${more} ${file}`, nodes)
  }
  const made = new Map<string, string>()
  for (const [product, make] of Object.entries(foreignExports)) {
    const { text, hashConfig } = await make(password)
    made.set(product, text)
    if (hashConfig) writeFileSync(config, hashConfig)
  }
  /** Asserts that nothing is imported, and what is told first. */
  async function refused(from: string, content: string | Buffer, told: string | RegExp) {
    const before = await app.rows('imports')
    const { code, stdout, stderr } = await run(from, content)
    const about = `${from}: ${stderr}`
    assert.deepEqual([code, stdout], [1, ''], about)
    const [first = ''] = stderr.split('\n').filter((line) => !line.startsWith('no role for'))
    if (typeof told === 'string') assert.equal(first, told, about)
    else assert.match(first, told, about)
    assert.match(stderr, /error: nothing was imported: \d+ errors in \d+ lines/)
    assert.ok(!stderr.includes(password), 'no secret is told')
    assert.deepEqual(await app.rows('imports'), before, about)
  }

  for (const from of formatNames) {
    const text = made.get(from) ?? ''

    test(`${from}: a packed file, another encoding, no text`, async () => {
      const packed = 'line 1: is a compressed file: unpack it first'
      await refused(from, gzipSync(text), packed)
      await refused(from, Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.from(text)]), packed)
      const utf16 = 'line 1: is UTF-16: save the file as UTF-8'
      await refused(from, Buffer.from(`\ufeff${text}`, 'utf16le'), utf16)
      await refused(from, Buffer.from(text, 'utf16le'), utf16)
      await refused(
        from,
        Buffer.from(text.replaceAll('Known', 'Kn\u00f6wn'), 'latin1'),
        /is no UTF-8$/,
      )
    })

    test(`${from}: a file that is cut short`, async () => {
      const inWords = [0.3, 0.5, 0.7, 0.9].map((part) => Math.floor(text.length * part))
      const cuts = inWords.map((at) => at + text.slice(at).search(/\w\w/) + 1)
      for (const at of [...cuts, text.trimEnd().length - 1]) {
        await refused(from, text.slice(0, at), /^line \d+: /)
      }
    })

    test(`${from}: the export of another product`, async () => {
      const isLdif = from === 'ldif'
      await refused(from, isLdif ? '{"users": []}\n' : 'dn: uid=ann\nuid: ann\n', /^line 1: /)
    })

    test(`${from}: depth, NUL and lone surrogates`, async () => {
      const nul = from === 'ldif' || from === 'authelia' ? '\0' : '\\u0000'
      await refused(from, text.replaceAll('Known', `Kn${nul}own`), /^line \d+: (display)?name /)
      if (from === 'ldif' || from === 'authelia') return
      await refused(from, text.replaceAll('Known', 'Kn\\ud800own'), /^line \d+: name /)
      await refused(from, text.replaceAll('id-of-', '\\ud800'), /^line \d+: id /)
      await refused(from, '['.repeat(200_000), /^line \d+: /)
      await refused(from, `{"a":${'['.repeat(200_000)}`, /^line \d+: /)
    })

    test(`${from}: an account with the name of the administrator, in any case`, async () => {
      const names = text.replaceAll('ann@example.org', 'known@example.org')
      const admin = from === 'firebase' ? /ann@|known@/g : /\bann\b(?!@)/g
      if (from === 'firebase') return // names are addresses or ids
      const hostile = names.replaceAll(admin, 'ADMIN').replaceAll('Known ADMIN', 'Known ann')
      await refused(from, hostile, /^line \d+: username exists already$/)
      const { roles } = (await app.call('GET', '/api/admin/accounts/admin', { headers })).body
      assert.deepEqual(roles, ['USER', 'EDITOR', 'ADMIN'])
    })
  }

  const lines = (users: readonly object[]) =>
    users.map((one) => `${JSON.stringify(one)}\n`).join('')
  const user = (name: string, more: object = {}) => ({
    ...{ id: `id-of-${name}`, email: `${name}@example.org`, username: name, ...more },
  })

  const form = 'must be a bcrypt, Argon2 or PBKDF2 hash in the form that this service verifies'
  const scrypt = (costs: string) => `$scrypt$${costs}$c2FsdHNhbHQ$${'A'.repeat(43)}`
  const hashes: readonly [string, string][] = [
    ['plain text', form],
    [someHash.replace('$04$', '$31$'), 'has too high a cost: 14 at most'],
    [`$pbkdf2-sha256$i=1000000000$c2FsdA$${'A'.repeat(43)}`, form],
    [
      `$pbkdf2-sha256$i=999999999$c2FsdA$${'A'.repeat(43)}`,
      'has too high a number of iterations: 2000000 at most',
    ],
    [scrypt('ln=22,r=8,p=1'), 'has too high a cost: N x r x p is 2097152 at most'],
    [scrypt('ln=63,r=8,p=1'), 'has too high a cost: N x r x p is 2097152 at most'],
    [`{SSHA}${someHash}`, form],
    [`{SHA}${'A'.repeat(8)}`, form],
    ['$1$salt$short', form],
    ['{MD5}', form],
    ['x'.repeat(10_000), form],
  ]
  for (const [password, message] of hashes) {
    test(`a hash ${password.slice(0, 40)} is refused`, async () => {
      await refused(
        'pocketbase',
        lines([user('ann', { password })]),
        `line 1: password_hash ${message}`,
      )
    })
  }

  test('a hash of another kind than its label is refused', async () => {
    const label = (credentialData: object, value = 'AAAA') => ({
      users: [
        {
          ...user('ann'),
          credentials: [
            {
              type: 'password',
              secretData: JSON.stringify({ value, salt: 'c2FsdHNhbHQ=' }),
              credentialData: JSON.stringify(credentialData),
            },
          ],
        },
      ],
    })
    const pbkdf2 = { algorithm: 'pbkdf2-sha512', hashIterations: 27_500 }
    await refused(
      'keycloak',
      JSON.stringify(label(pbkdf2, someHash)),
      `line 1: password_hash ${form}`,
    )
    await refused(
      'keycloak',
      JSON.stringify(label({ algorithm: 'md5', hashIterations: 1 })),
      'line 1: credentials the algorithm "md5" is not known',
    )
    const argon2 = { algorithm: 'argon2', hashIterations: 5, additionalParameters: {} }
    await refused('keycloak', JSON.stringify(label(argon2)), `line 1: password_hash ${form}`)
    const [one = ''] = (made.get('firebase') ?? '').match(/"passwordHash":"[^"]+"/) ?? []
    await refused(
      'firebase',
      (made.get('firebase') ?? '').replace(one, '"passwordHash":"AAAA"'),
      'line 1: passwordHash is of another length than the signer key',
    )
    await refused(
      'better-auth',
      lines([user('ann', { password: '00:11' })]),
      'line 1: password is no hash as better-auth makes it',
    )
  })

  test('lines of LDIF that are no text, name files or change something', async () => {
    const entry = (line: string) =>
      `dn: uid=ann\nuid: ann\ncn: Ann\nmail: ann@example.org\n${line}\n\n`
    const cases: readonly [string, RegExp][] = [
      ['userPassword:: ####', /^line 5: userPassword is no text in Base64$/],
      ['cn:: /////w==', /^line 5: cn is no text in Base64$/],
      ['userPassword:< file:///etc/shadow', /^line 5: userPassword names a file or an address$/],
      ['changetype: delete', /^line 5: is a change: export the content$/],
      ['nonsense', /^line 5: is no line of LDIF$/],
      ['userPassword: secret', /^line 1: userPassword has no label/],
      ['userPassword: {CLEARTEXT}secret', /^line 1: password_hash must be/],
      [
        'userPassword: {SHA}x\nuserPassword: {SHA}y',
        /^line 1: userPassword has more than one value$/,
      ],
      [`cn: ${'x'.repeat(70_000)}`, /^line 5: is longer than 65536 bytes$/],
      ['cn: x\n'.repeat(20_000).trimEnd(), /is in an entry that is too long$/],
    ]
    for (const [line, told] of cases) await refused('ldif', entry(line), told)
  })

  test('YAML beyond a file of users', async () => {
    const of = (...fields: string[]) =>
      ['users:', '  ann:', ...fields, '    email: a@example.org', ''].join('\n')
    const cases: readonly [string, RegExp][] = [
      [of('    password: &a x'), /^line 3: password is no YAML that this import reads$/],
      [of('    password: *a'), /^line 3: password is no YAML that this import reads$/],
      [of('    password: |', '      x'), /^line 3: password is no YAML/],
      [of('\tpassword: x'), /^line 3: is indented by a tab$/],
      [of('    password: x', '    password: y'), /^line 4: password is there twice$/],
      [of('    - x'), /^line 3: belongs to no list$/],
      [of('    <<: *base'), /^line 3: << is no YAML/],
      [of('    disabled: perhaps', '    password: x'), /^line 2: disabled must be true or false$/],
      ['users: [a]\n', /^line 1: must have its users below$/],
      ['people:\n  ann:\n    password: x\n', /^line 1: has no "users:"$/],
      [of(), /^line 2: password is missing$/],
      [`users:\n  ${' '.repeat(60_000)}x\n`, /^line 2: is no YAML/],
    ]
    for (const [text, told] of cases) {
      await refused('authelia', text, told)
    }
    const proto = of('    password: x', '    __proto__: [ADMIN]', '    groups: [x]')
    await refused('authelia', proto, /^line 2: password_hash must be/)
  })

  test('the mapping of roles and the options are checked before the file', async () => {
    const roles = join(app.directory, 'roles')
    for (const [text, told] of [
      ['[]', /--roles: is no JSON object/],
      ['{', /--roles: is no JSON object/],
      ['{"a":"KING"}', /--roles: a: must be USER, EDITOR, ADMIN/],
      ['{"a":{"b":1}}', /--roles: a: must be/],
    ] as const) {
      writeFileSync(roles, text)
      const { code, stderr } = await run('pocketbase', '', `--roles ${roles}`)
      assert.equal(code, 2, stderr)
      assert.match(stderr, told)
    }
    assert.equal((await run('okta', '')).code, 2)
    assert.equal((await run('pocketbase', '', `--hash-config ${config}`)).code, 2)
    writeFileSync(file, '{"users":[]}')
    assert.equal((await gatehouse(app.directory, `import --from firebase ${file}`)).code, 2)
    assert.equal(
      (await gatehouse(app.directory, `import --from firebase --hash-config ${file} ${file}`)).code,
      2,
    )
  })
})
