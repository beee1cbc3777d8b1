import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { enrol } from '../factor.ts'
import { forwardFile } from '../forward-file.ts'
import { gatehouse } from './gatehouse.ts'

const wiki = { hosts: ['wiki.example.org'] }
const rules = [
  { ...wiki, paths: ['/public/*'], methods: ['GET'], policy: 'bypass' },
  { ...wiki, paths: ['/admin/*'], roles: ['ADMIN'], policy: 'two_factor' },
  { ...wiki, paths: ['/admin/*'], policy: 'deny' },
  { ...wiki, paths: ['/drafts/*'], roles: ['USER'], policy: 'deny' },
  { ...wiki, policy: 'one_factor' },
]

suite('gatehouse forward check', async () => {
  const app = await testApp()
  const env = { FORWARD_AUTH_FILE: forwardFile(rules), TRUST_PROXY: '127.0.0.1' }
  const { clock } = app

  /** Asks by command; the directory is that of no database unless a user is named. */
  async function check(words: string, more: Record<string, string> = {}) {
    const command = `forward check ${words} --json`
    const ran = await gatehouse(app.directory, command, { env: { ...env, ...more }, clock })
    return { ...ran, ...(ran.stdout && JSON.parse(ran.stdout)) }
  }
  const answered = async (words: string) => {
    const { answer, code, rule, why } = await check(words)
    return [answer, rule?.number ?? null, why, code]
  }

  test('says which rule answers one who is not known, and needs no database', async () => {
    const at = (path: string) => `https://wiki.example.org${path}`
    assert.deepEqual(await answered(at('')), ['sign_in', 5, 'rule 5 wants a login', 0])
    assert.deepEqual(await answered(at('/public/x?y=/admin')), [
      'allowed',
      1,
      'rule 1 lets anyone through',
      0,
    ])
    assert.deepEqual(await answered(`${at('/public/x')} --method POST`), [
      'sign_in',
      5,
      'rule 5 wants a login',
      0,
    ])
    assert.deepEqual(await answered(at('/admin')), [
      'sign_in',
      2,
      'rule 2 wants a login with a second factor of ADMIN; a caller of other roles goes on to the next rules',
      0,
    ])
    assert.deepEqual(await answered(at('/drafts/x')), [
      'sign_in',
      4,
      'rule 4 denies it to USER; a caller of other roles goes on to the next rules',
      0,
    ])
    assert.deepEqual(await answered('https://other.example.org/'), [
      'denied',
      null,
      'no rule matches it, and what none matches is denied',
      4,
    ])
    assert.deepEqual(await answered('http://wiki.example.org/'), [
      'refused',
      5,
      'a credential counts over https alone, except on a loopback address',
      4,
    ])
    assert.equal((await answered('http://wiki.example.org/public/'))[0], 'allowed')
    for (const path of ['/a#b', '/a%', '/a%00', `/${'a'.repeat(8192)}`]) {
      const [answer, , why, code] = await answered(at(path))
      assert.deepEqual([answer, code], ['refused', 4], path)
      assert.match(why, /characters or escapes that no path may have, or is too long$/)
    }
  })

  test('shows the readings of a path where they make a difference, for people and as JSON', async () => {
    const url = 'https://wiki.example.org/x/..%2fadmin'
    const found = await check(url)
    assert.deepEqual(
      [found.code, found.answer, found.because, found.why, found.rule, found.account],
      [4, 'denied', 'ambiguous', 'the readings of its path lead to different rules', null, null],
    )
    assert.deepEqual(found.readings, [
      { path: '/x/..%2Fadmin', method: 'GET', rule: 5, case: 'as it is' },
      { path: '/x/..%2fadmin', method: 'GET', rule: 5, case: 'ignored' },
      { path: '/x/../admin', method: 'GET', rule: 5, case: 'as it is' },
      { path: '/admin', method: 'GET', rule: 2, case: 'as it is' },
    ])
    const { stdout, stderr } = await gatehouse(app.directory, `forward check ${url}`, { env })
    assert.match(stdout, /^answer +denied$/m)
    assert.match(stdout, /^\/admin +GET +2 +as it is$/m)
    assert.equal(stderr.trim(), 'error: it would be refused')
    const plain = await gatehouse(app.directory, 'forward check https://wiki.example.org/admin', {
      env,
    })
    assert.match(
      plain.stdout,
      /^rule +\{"number":2,"hosts":\["wiki\.example\.org"\],"paths":\["\/admin\/\*"\],"roles":\["ADMIN"\],"policy":"two_factor"\}$/m,
    )
    assert.doesNotMatch(plain.stdout, /as it is/)
    const unsure = await check('https://wiki.example.org/%25ff')
    assert.equal(unsure.why, 'its path has no reading that is sure')
    const { answer, why } = await check(`https://wiki.example.org/${'%3B'.repeat(201)}`)
    const expected = 'its path has more than 200 escapes and semicolons, and is not read'
    assert.deepEqual([answer, why], ['denied', expected])
  })

  test('says of a user what would happen: by roles, lock, factor and steps of the sign-in', async () => {
    const url = 'https://wiki.example.org/admin'
    await app.account('ann', ['ADMIN', 'USER'])
    const bob = await app.account('bob', ['USER'])
    assert.deepEqual(await answered(`${url} ANN`), [
      'allowed',
      2,
      'rule 2 allows it after a login with a second factor; the account has no second factor yet: the sign-in enrols one',
      0,
    ])
    assert.deepEqual(await answered(`${url} bob`), ['denied', 3, 'rule 3 denies it', 4])
    assert.deepEqual(await answered('https://wiki.example.org/drafts/1 bob'), [
      'denied',
      4,
      'rule 4 denies it',
      4,
    ])
    const allowed = ['allowed', 5, 'rule 5 allows it after a login', 0]
    assert.deepEqual(await answered('https://wiki.example.org/ bob'), allowed)
    await enrol(app, app.basic(bob))
    assert.deepEqual(await answered('https://wiki.example.org/ bob'), allowed)
    const { account } = await check('https://wiki.example.org/ bob')
    assert.deepEqual(account, {
      username: 'bob',
      roles: ['USER'],
      locked: false,
      active: true,
      second_factor: true,
    })
    await app.account('new', ['USER'], { must_change: true })
    assert.deepEqual(await answered('https://wiki.example.org/ new'), [
      'allowed',
      5,
      'rule 5 allows it after a login; the sign-in has one more step (account_must_change_password)',
      0,
    ])
    for (const [more, code] of [
      [{ locked: true }, 'account_locked'],
      [{ active: false }, 'account_disabled'],
    ] as const) {
      const { username } = await app.account(code.replace('_', '-'))
      const path = `/api/admin/accounts/${username}`
      const call = { headers: app.basic(app.admin), json: more }
      assert.equal((await app.call('PUT', path, call)).status, 200)
      assert.deepEqual(await answered(`https://wiki.example.org/ ${username}`), [
        'denied',
        5,
        `rule 5 would allow it, but the account cannot sign in (${code})`,
        4,
      ])
      const open = await answered(`https://wiki.example.org/public/ ${username}`)
      assert.deepEqual(open, ['allowed', 1, 'rule 1 lets anyone through', 0])
    }
  })

  test('what cannot be asked is a mistake of use, and a broken file is told whole', async () => {
    const refusals: readonly (readonly [
      words: string,
      code: number,
      message: RegExp,
      Record<string, string>?,
    ])[] = [
      ['wiki.example.org/', 2, /the URL must be one of an application/],
      ['ftp://wiki.example.org/', 2, /the URL must be one of an application/],
      ['https://0x7f.1/', 2, /the URL must be one of an application/],
      ['https://wiki.example.org/ --method get', 2, /--method must be one of HTTP/],
      ["https://wiki.example.org/ 'a:b'", 2, /the user is no username/],
      ['https://wiki.example.org/ none', 3, /no such account/],
      ['https://wiki.example.org/', 2, /FORWARD_AUTH_FILE is not set/, { FORWARD_AUTH_FILE: '' }],
      [
        'https://wiki.example.org/',
        1,
        /rule 1 must have a list "hosts"[\s\S]*rule 2 must be an object/,
        { FORWARD_AUTH_FILE: forwardFile([{}, []]) },
      ],
    ]
    for (const [words, code, message, more] of refusals) {
      const ran = await check(words, more)
      assert.deepEqual([ran.code, ran.stdout], [code, ''], words)
      assert.match(ran.stderr, message)
    }
  })

  test('says what counts for a visitor of a network and for a person', async () => {
    const tv = { hosts: ['tv.example.org'] }
    const FORWARD_AUTH_FILE = forwardFile([
      { ...tv, networks: ['192.168.1.0/24'], policy: 'bypass' },
      { ...tv, users: ['cleo', 'dan'], roles: ['USER'], policy: 'one_factor' },
      { ...tv, users: ['dan'], policy: 'deny' },
    ])
    const of = async (words: string) => {
      const { answer, code, rule, why } = await check(words, { FORWARD_AUTH_FILE })
      return [answer, rule?.number ?? null, why, code]
    }
    const url = 'https://tv.example.org/'
    assert.deepEqual(await of(url), [
      'refused',
      1,
      'rule 1 has networks: name the address of the visitor by --from',
      4,
    ])
    const anyone = ['allowed', 1, 'rule 1 lets anyone through', 0]
    assert.deepEqual(await of(`${url} --from 192.168.1.20`), anyone)
    assert.deepEqual(await of(`${url} --from ::ffff:192.168.1.20`), anyone)
    assert.deepEqual(await of(`${url} --from 192.168.2.20`), [
      'sign_in',
      2,
      'rule 2 wants a login of cleo or dan with the role USER; for other callers the next rules count',
      0,
    ])
    await app.account('cleo', ['USER'])
    assert.deepEqual(await of(`${url} cleo --from 192.168.2.20`), [
      'allowed',
      2,
      'rule 2 allows it after a login',
      0,
    ])
    const wrong = await check(`${url} --from lan`, { FORWARD_AUTH_FILE })
    assert.deepEqual([wrong.code, wrong.stdout], [2, ''])
    assert.match(wrong.stderr, /--from must be an address, such as 192\.0\.2\.7/)
  })
})
