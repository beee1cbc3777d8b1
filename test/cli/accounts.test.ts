import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { passwordOf, type Someone, testApp } from '../app.ts'
import { heard, nodes } from '../database.ts'
import { doors, guess } from '../logins.ts'
import { gatehouse, type Surroundings } from './gatehouse.ts'

const fresh = 'a walk beside the old canal'

suite('gatehouse account, on the database of a running service', async () => {
  const app = await testApp()
  const run = async (words: string, more: Surroundings = {}) => {
    const ran = await gatehouse(app.directory, words, { ...nodes, ...more })
    await heard(app) // the command line is another node
    return ran
  }
  const login = (username: string, password: string, more: object = {}) =>
    app.call('POST', '/login', { json: { username, password, ...more } })
  const me = async (headers: Record<string, string>) =>
    (await app.call('GET', '/api/protected', { headers })).status

  async function refused(words: string, code: number, text: RegExp, more: Surroundings = {}) {
    const before = await app.rows()
    const ran = await run(words, more)
    assert.deepEqual([ran.code, ran.stdout], [code, ''], words)
    assert.match(ran.stderr, text)
    assert.deepEqual(await app.rows(), before, 'nothing changed')
  }

  test('add makes an account with its user, which can log in at once', async () => {
    const words = "account add Carol --name 'Carol Lee' --email carol@example.org --role EDITOR"
    const ran = await run(`${words} --password-stdin --json`, { stdin: `${fresh}\n` })
    assert.deepEqual([ran.code, ran.stderr], [0, ''])
    const { user_id, created_at: _, ...shown } = JSON.parse(ran.stdout)
    assert.deepEqual(shown, {
      username: 'carol',
      roles: ['EDITOR'],
      locked: false,
      active: true,
      second_factor: false,
      deletion_at: null,
    })
    assert.equal((await login('carol', fresh)).status, 200)
    const { body } = await app.call('GET', `/users/${user_id}`, { headers: app.basic(app.admin) })
    assert.deepEqual(body, { id: user_id, name: 'Carol Lee', email: 'carol@example.org' })
  })

  test('add --generate shows a password once; the next login must change it', async () => {
    const ran = await run('account add dora --email dora@example.org --generate')
    assert.equal(ran.code, 0)
    const [, password = ''] = /password {2}(\S+)/.exec(ran.stdout) ?? []
    assert.ok(password.length >= 24)
    assert.equal((await login('dora', password)).body.error, 'Password change required')
    assert.equal((await login('dora', password, { new_password: fresh })).status, 200)
  })

  test('add takes a user that exists', async () => {
    const made = await run('user add --name Erin --email erin@example.org --json')
    const { id } = JSON.parse(made.stdout)
    const stdin = fresh
    const ran = await run(`account add erin --user ${id} --password-stdin --json`, { stdin })
    assert.deepEqual(
      [ran.code, JSON.parse(ran.stdout).user_id, JSON.parse(ran.stdout).roles],
      [0, id, ['USER']],
    )
    const more = { stdin }
    await refused(`account add erin2 --user ${id} --password-stdin`, 4, /already has/, more)
    await refused('account add erin2 --user 4711 --password-stdin', 3, /User not found/, more)
  })

  test('a taken name, a bad password, and no password are refused', async () => {
    const words = 'account add CAROL --email c@example.org --password-stdin'
    await refused(words, 4, /Username already exists/, { stdin: fresh })
    const bad = 'account add fay --email fay@example.org --password-stdin'
    await refused(bad, 4, /password must have at least 12/, { stdin: 'short\n' })
    await refused(bad, 4, /password must not be/, { stdin: 'passwordpassword' })
    await refused(bad, 2, /holds no password/)
    await refused(bad, 2, /holds no password/, { stdin: '\n' })
    await refused(bad, 2, /more than one line/, { stdin: `${fresh}\n${fresh}\n` })
    await refused(bad, 2, /no UTF-8/, { stdin: Buffer.from([0xff, 0xfe, 0x61]) })
    await refused(bad, 2, /too long/, { stdin: 'x'.repeat(20_000) })
    await refused('account add fay --email fay@example.org', 2, /no terminal to ask at/, {
      stdin: fresh,
    })
  })

  test('no such account exits 3', async () => {
    for (const words of ['lock nobody', 'roles nobody USER', 'reset-factor nobody', 'lock a:b']) {
      await refused(`account ${words}`, 3, /there is no account/)
    }
    await refused('account password nobody --password-stdin', 3, /no account/, { stdin: fresh })
  })

  test('the last administrator stays one, exit 4', async () => {
    await refused('account lock admin', 4, /Last administrator/)
    await refused('account disable admin', 4, /Last administrator/)
    await refused('account roles admin USER', 4, /Last administrator/)
    await refused('account roles admin KING', 2, /KING is no role/)
  })

  const ann = await app.account('ann')
  const held = async (someone: Someone) => ({
    session: await app.session(someone),
    bearer: await app.bearer(someone),
    basic: app.basic(someone),
  })
  async function statuses({ session, bearer, basic }: Awaited<ReturnType<typeof held>>) {
    return [
      await me(session),
      (await app.call('GET', '/api/me', { headers: bearer })).status,
      (await app.call('GET', '/users', { headers: basic })).status,
    ]
  }

  test('lock: session, bearer and Basic are refused at the next request; unlock opens again', async () => {
    const before = await held(ann)
    assert.deepEqual(await statuses(before), [200, 200, 200])
    const ran = await run('account lock ann')
    assert.deepEqual([ran.code, ran.stdout], [0, 'ann is locked\n'])
    assert.deepEqual(await statuses(before), [401, 401, 401])
    assert.equal((await run('account unlock ann')).code, 0)
    assert.deepEqual(await statuses(before), [401, 401, 200], 'what has ended stays so')
  })

  test('disable and enable do the same', async () => {
    const before = await held(ann)
    assert.equal(JSON.parse((await run('account disable ann --json')).stdout).active, false)
    assert.deepEqual(await statuses(before), [401, 401, 401])
    assert.equal(JSON.parse((await run('account enable ann --json')).stdout).active, true)
    assert.equal((await login('ann', passwordOf('ann'))).status, 200)
  })

  test('roles: the session has them at the next request, the access token of the old ones ends', async () => {
    const { session, bearer } = await held(ann)
    const adminPage = () => app.call('GET', '/api/admin/accounts', { headers: session })
    assert.equal((await adminPage()).status, 403)
    const ran = await run('account roles ann ROLE_ADMIN USER')
    assert.deepEqual([ran.code, ran.stdout], [0, 'ann has USER, ADMIN\n'])
    assert.equal((await adminPage()).status, 200)
    assert.equal((await app.call('GET', '/api/me', { headers: bearer })).status, 401)
    await run('account roles ann USER')
    assert.equal((await adminPage()).status, 403)
  })

  test('password: the old one and all logins end', async () => {
    const before = await held(ann)
    const ran = await run('account password ann --password-stdin', { stdin: `${fresh}\r\n` })
    assert.deepEqual([ran.code, ran.stdout], [0, 'ann has a new password\n'])
    assert.deepEqual(await statuses(before), [401, 401, 401])
    assert.equal((await login('ann', fresh)).status, 200)
  })

  test('what --generate makes is as long as PASSWORD_MIN_LENGTH asks', async () => {
    const env = { PASSWORD_MIN_LENGTH: '40' }
    const ran = await run('account password ann --generate --json', { env })
    assert.deepEqual([ran.code, JSON.parse(ran.stdout).password.length], [0, 40])
  })

  test('password --generate is for one login', async () => {
    const ran = await run('account password ann --generate --json')
    const { password } = JSON.parse(ran.stdout)
    assert.equal((await login('ann', password)).body.error, 'Password change required')
  })

  test('at a terminal a password is typed twice, and never shown', async () => {
    const typed = `${fresh}, again`
    const twice = [`${typed}\r`, `${typed}\r`]
    const ran = await run('account password ann', { typed: twice })
    assert.deepEqual([ran.code, ran.stdout], [0, 'ann has a new password\n'])
    assert.match(ran.stderr, /New password for ann: \nAgain: /)
    assert.ok(!ran.stderr.includes(fresh))
    await refused('account password ann', 1, /differ/, { typed: [`${typed}\r`, `${fresh}\r`] })
    await refused('account password ann', 130, /broken off/, { typed: [`${typed}\r`, '\x03'] })
    await refused('account password ann', 130, /broken off/, { typed: ['\x04'] })
  })

  test('account reset tells how, for an account without a verified address', async () => {
    const ran = await run('account reset ann')
    assert.deepEqual(
      [ran.code, ran.stderr],
      [4, 'error: No verified email: name the address of its owner with --email\n'],
    )
  })

  test('reset-factor takes the factor away, and ends all logins', async () => {
    const { userId } = ann
    const { db } = app.deps
    await db
      .updateTable('accounts')
      .set({ second_factor: 1 })
      .where('user_id', '=', userId)
      .execute()
    await db
      .updateTable('passwords')
      .set({ must_change: 0 })
      .where('account', '=', userId)
      .execute()
    const ran = await run('account reset-factor ann --json')
    assert.deepEqual([ran.code, JSON.parse(ran.stdout).second_factor], [0, false])
    assert.equal((await login('ann', `${fresh}, again`)).status, 200)
  })

  test('show tells the account, its user and what keeps it from a login', async () => {
    const { code, stdout } = await run('account show CAROL --json')
    const { created_at, user_id, ...shown } = JSON.parse(stdout)
    assert.deepEqual(
      [code, shown],
      [
        0,
        {
          username: 'carol',
          name: 'Carol Lee',
          email: 'carol@example.org',
          roles: ['EDITOR'],
          locked: false,
          active: true,
          second_factor: false,
          deletion_at: null,
          locked_until: null,
          must_change: false,
        },
      ],
    )
    assert.match((await run('account show carol')).stdout, /^email {10}carol@example\.org$/m)
    await refused('account show nobody', 3, /there is no account nobody/)
  })

  test('delete ends the logins, keeps the user, and is told as over HTTP', async () => {
    const gone = await app.account('gone')
    const before = await held(gone)
    assert.deepEqual(await statuses(before), [200, 200, 200])
    const ran = await run('account delete gone --yes --verbose')
    assert.deepEqual([ran.code, ran.stdout], [0, `gone is deleted; user ${gone.userId} stays\n`])
    const { event, what, by, user_id } = JSON.parse(ran.stderr)
    assert.deepEqual(
      [event, what, by, user_id],
      ['authz_admin', 'account_deleted', 'cli', gone.userId],
    )
    assert.deepEqual(await statuses(before), [401, 401, 401])
    const user = await app.call('GET', `/users/${gone.userId}`, { headers: app.basic(app.admin) })
    assert.equal(user.status, 200)
    await refused('account delete gone --yes', 3, /there is no account gone/)
    await refused('account delete admin --yes', 4, /Last administrator/)
  })

  test('delete asks at a terminal, and without one wants --yes', async () => {
    const shy = await app.account('shy')
    await refused('account delete shy', 2, /no terminal to ask at: use --yes/)
    for (const answer of ['n\r', '\r', 'yess\r', 'shy\r']) {
      await refused('account delete shy', 1, /nothing was changed/, { typed: [answer] })
    }
    await refused('account delete shy', 130, /broken off/, { typed: ['\x03'] })
    await refused('account delete shy', 130, /broken off/, { typed: ['\x04'] })
    const ran = await run('account delete shy --json', { typed: ['Y\r'] })
    assert.deepEqual([ran.code, JSON.parse(ran.stdout).user_id], [0, shy.userId])
    assert.match(
      ran.stderr,
      /^.*Delete the account shy\? Its logins end, and its user stays\. \[y\/N\] /,
    )
  })

  test('throttle list shows lockouts and limits, and clear forgets them', async () => {
    const guessed = await app.account('guessed')
    const rows = async (more = '') => {
      const ran = await run(`throttle list --json ${more}`, { clock: app.clock })
      assert.deepEqual([ran.code, ran.stderr], [0, ''])
      return JSON.parse(ran.stdout)
    }
    await run('throttle clear guessed', { clock: app.clock })
    const others = await rows()
    for (let left = 5; left > 0; left -= 1) await login('guessed', 'a wrong password')
    assert.equal((await login('guessed', 'a wrong password')).status, 429)
    const found = (await rows()).filter(({ username }: { username: string }) => username)
    assert.deepEqual(
      found.map((row: Record<string, unknown>) => [
        row.limit,
        row.username,
        row.used,
        row.attempts,
      ]),
      [
        ['lockout', 'guessed', 5, 10],
        ['login', 'guessed', 5, 5],
      ],
    )
    const blocked = await rows('--blocked')
    assert.deepEqual(
      blocked.map(({ limit, username }: Record<string, unknown>) => [limit, username]),
      [['login', 'guessed']],
    )
    assert.equal(blocked[0].blocked_until, '2026-01-15T12:15:00.000Z')

    const ran = await run('throttle clear GUESSED --verbose', { clock: app.clock })
    assert.deepEqual([ran.code, ran.stdout], [0, 'the failed logins of guessed are forgotten\n'])
    const { event, what, by, user_id } = JSON.parse(ran.stderr)
    assert.deepEqual(
      [event, what, by, user_id],
      ['authz_admin', 'throttle_cleared', 'cli', guessed.userId],
    )
    assert.deepEqual(await rows('--blocked'), [])
    assert.ok(others.length <= (await rows()).length)
    assert.equal((await login('guessed', passwordOf('guessed'))).status, 200)
    await login('nobody', 'a wrong password')
    const unknown = await run('throttle clear nobody --json', { clock: app.clock })
    assert.deepEqual(JSON.parse(unknown.stdout), { username: 'nobody', user_id: null })
    assert.equal((await run('account delete guessed --yes')).code, 0)
  })

  test('throttle clear of a name without failed logins is 3 and changes nothing', async () => {
    const before = await app.rows()
    const clear = (words: string) => run(`throttle clear ${words}`, { clock: app.clock })
    for (const name of ['guessless', 'ADMIN']) {
      const { code, stdout, stderr } = await clear(name)
      const message = `error: no failed logins of ${name.toLowerCase()}\n`
      assert.deepEqual([code, stdout, stderr], [3, '', message])
    }
    const address = await clear('127.0.0.1')
    const hint =
      'an address is cleared by npm run -s gatehouse -- throttle clear --address 127.0.0.1'
    assert.deepEqual(
      [address.code, address.stderr],
      [3, `error: no failed logins of 127.0.0.1; ${hint}\n`],
    )
    const six = await clear('2001:db8::1')
    assert.equal(six.code, 2)
    assert.match(six.stderr, /this is no username; .* --address 2001:db8::1\n/)
    for (const wrong of ['', 'ann --address 192.0.2.1']) assert.equal((await clear(wrong)).code, 2)
    assert.deepEqual(await app.rows(), before)
  })

  test('throttle clear --address opens an address that wrong passwords have closed', async () => {
    const from = '2001:db8:7:1::5'
    const right = { username: 'admin', password: app.admin.password }
    for (let guesses = 0; guesses < 20; guesses += 1) {
      await guess(app, { username: `nobody${guesses}` }, from)
    }
    const entry = () => doors.JSON(app, right, { from })
    assert.equal((await entry()).status, 429)
    const clear = (address: string) =>
      run(`throttle clear --address ${address}`, { clock: app.clock })
    assert.deepEqual(
      [(await clear('no-address')).code, (await clear('2001:db8:7:1::/48')).code],
      [2, 2],
    )
    assert.equal((await entry()).status, 429)
    const network = '2001:db8:7:1::/64'
    const cleared = await clear(network)
    assert.deepEqual(
      [cleared.code, cleared.stdout, cleared.stderr],
      [0, `the failed logins from ${network} are forgotten\n`, ''],
    )
    assert.equal((await entry()).status, 200)
    const none = await clear(from)
    assert.deepEqual([none.code, none.stderr], [3, `error: no failed logins from ${network}\n`])
  })

  test('each change is told on standard error with --verbose, by cli and without the password', async () => {
    const events = async (words: string, stdin = '') => {
      const { stderr } = await run(`account ${words} --verbose`, { stdin })
      assert.ok(!stderr.includes(fresh))
      return stderr
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .map(({ event, by, user_id }) => [event, by, user_id])
    }
    const { userId } = ann
    const rights = [['privilege_permissions_changed', 'cli', userId]]
    assert.deepEqual(await events('lock ann'), rights)
    assert.deepEqual(await events('unlock ann'), rights)
    assert.deepEqual(await events('disable ann'), rights)
    assert.deepEqual(await events('enable ann'), rights)
    assert.deepEqual(await events('roles ann USER'), rights)
    assert.deepEqual(await events('reset-factor ann'), [['mfa_removed', 'cli', userId]])
    assert.deepEqual(await events('password ann --password-stdin', `${fresh} two`), [
      ['authn_password_change', 'cli', userId],
    ])
  })

  test('list shows all accounts, or those that are asked for', async () => {
    const names = async (more = '') => {
      const { code, stdout, stderr } = await run(`account list --json ${more}`)
      assert.deepEqual([code, stderr], [0, ''])
      return JSON.parse(stdout).map(({ username }: { username: string }) => username)
    }
    assert.deepEqual(await names(), ['admin', 'ann', 'carol', 'dora', 'erin'])
    assert.deepEqual(await names('--role ADMIN'), ['admin'])
    assert.deepEqual(await names('--role EDITOR'), ['admin', 'carol'])
    assert.deepEqual(await names('--locked'), [])
    await run('account lock dora')
    await run('account disable erin')
    const guessed = { locked_until: Date.now() + 60_000 }
    await app.deps.db.updateTable('accounts').set(guessed).where('username', '=', 'ann').execute()
    assert.deepEqual(await names('--locked'), ['ann', 'dora'])
    assert.deepEqual(await names('--disabled'), ['erin'])
    assert.deepEqual(await names('--disabled --locked'), [])
    const { stdout } = await run('account list --role ADMIN')
    assert.match(stdout, /^username +user_id +roles .*\nadmin +1 +USER,EDITOR,ADMIN .*\n$/)
  })

  test('a list of any length is whole, in order, and read in batches', async () => {
    const count = 1203
    const rows = Array.from({ length: count }, (_, index) => ({
      name: `many ${index}`,
      email: 'many@example.org',
      name_key: '',
      email_key: '',
    }))
    for (let from = 0; from < count; from += 100) {
      await app.deps.db
        .insertInto('users')
        .values(rows.slice(from, from + 100))
        .execute()
    }
    const { code, stdout } = await run('user list --json')
    const many = JSON.parse(stdout).filter(({ email }: { email: string }) => /^many/.test(email))
    assert.equal(code, 0)
    assert.deepEqual(
      many.map(({ name }: { name: string }) => name),
      rows.map(({ name }) => name),
    )
    const text = await run('user list')
    assert.equal(text.stdout.match(/many@/g)?.length, count)
    assert.equal(text.stdout.match(/^id /gm)?.length, 1)
  })

  test('a stored name cannot steer the terminal', async () => {
    const name = '\x1b]0;owned\x07\x9b2J\u202egnp'
    await app.call('POST', '/users', {
      headers: app.basic(app.admin),
      json: { name, email: 'steer@example.org' },
    })
    const { stdout } = await run('user list')
    assert.doesNotMatch(stdout.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u)
    assert.match(stdout, /\\u\{1b\}\]0;owned\\u\{7\}\\u\{9b\}2J\\u\{202e\}gnp/)
  })
})
