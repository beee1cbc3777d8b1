// A database makes a difference: each command once.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { asClient, ask, clientsFile, entry } from '../clients.ts'
import { heard } from '../database.ts'
import { gatehouse } from './gatehouse.ts'

const redirect = 'https://grafana.example.org/login/generic_oauth'

suite('gatehouse client, for applications and the database', async () => {
  const CLIENTS_FILE = clientsFile([entry('shop')])
  const app = await testApp({ CLIENTS_FILE })
  const { issuer } = app.deps.config.token
  const run = async (words: string) => {
    const env = { CLIENTS_FILE, BASE_URL: issuer }
    const ran = await gatehouse(app.directory, words, { clock: app.clock, env })
    await heard(app) // the command line is another node
    return ran
  }
  const json = async (words: string) => {
    const { code, stdout, stderr } = await run(`${words} --json`)
    assert.deepEqual([code, stderr], [0, ''], words)
    return JSON.parse(stdout)
  }
  const assertState = async (id: string, secret: string, isRight: boolean) => {
    const headers = asClient(id, secret)
    const { status } = await ask(app, 'introspect', 'any', { headers })
    assert.equal(status === 200, isRight, `${id}: ${status}`)
  }

  test('add prints what the application needs, and stores it', async () => {
    const { code, stdout } = await run(`client add grafana --type web --redirect ${redirect}`)
    assert.equal(code, 0)
    const lines = stdout.trimEnd().split('\n')
    const [, secret = ''] = /client secret {2}(\S{43}) {3}\(shown once\)/.exec(stdout) ?? []
    assert.deepEqual(lines, [
      'grafana is added to the database.',
      '',
      `  issuer         ${issuer}`,
      `  discovery      ${issuer}/.well-known/openid-configuration`,
      '  client id      grafana',
      `  client secret  ${secret}   (shown once)`,
      '  scopes         openid profile email groups',
      `  redirect       ${redirect}`,
    ])
    const { body } = await app.call('GET', '/api/admin/clients/grafana', {
      headers: app.basic(app.admin),
    })
    assert.deepEqual([body.type, body.redirect_uris, body.secrets], ['web', [redirect], 1])
  })

  test('all options of an application become fields of its entry', async () => {
    const words = [
      `client add desk --type web --redirect ${redirect} --logout-redirect ${redirect}`,
      "--name 'The desk' --operator Office --home https://desk.example.org/ --scope openid",
      '--scope users:read --allow EDITOR --consent none --two-factor --api --auth post',
      '--pkce optional --logout-call http://desk:3000/out --origin https://desk.example.org',
      '--audience api --may introspect',
    ].join(' ')
    const { issuer: said, secret, ...made } = await json(words)
    const { body } = await app.call('GET', '/api/admin/clients/desk', {
      headers: app.basic(app.admin),
    })
    const { source, secrets, ...shown } = body
    assert.deepEqual([said, source, secrets, made], [issuer, 'database', 1, shown])
    await assertState('desk', secret, true)
  })

  test('add knows the kind of the subject', async () => {
    const words = `client add quiet --type web --redirect ${redirect} --subject`
    assert.equal((await json(`${words} pairwise`)).subject, 'pairwise')
    const other = await run(words.replace('quiet', 'loud').concat(' private'))
    assert.deepEqual([other.code, other.stdout], [4, ''])
    assert.match(other.stderr, /subject must be one of public, pairwise/)
  })

  test('add with --file writes the file', async () => {
    const path = join(app.directory, 'more.json')
    const made = await json(`client add robot --type machine --file ${path}`)
    const [stored] = JSON.parse(readFileSync(path, 'utf8')).clients
    assert.deepEqual([stored.id, stored.type, stored.secret_hash.length], ['robot', 'machine', 71])
    assert.match(made.secret, /^\S{43}$/)
    const listed = await app.call('GET', '/api/admin/clients', { headers: app.basic(app.admin) })
    assert.ok(!listed.text.includes('robot'))
  })

  test('secret, retire, list and remove change the one of the database', async () => {
    const words = 'client add timer --type machine --audience api --may introspect'
    const first = (await json(words)).secret
    const second = (await json('client secret timer')).secret
    await assertState('timer', first, true)
    await json('client retire timer')
    await assertState('timer', first, false)
    await assertState('timer', second, true)
    const listed: { id: string; source: string; type: string | null }[] = await json('client list')
    assert.deepEqual(
      [listed[0], listed.at(-1)].map((one) => [one?.id, one?.source, one?.type]),
      [
        ['shop', 'file', null],
        ['timer', 'database', 'machine'],
      ],
    )
    const third = (await json('client secret timer --now')).secret
    await assertState('timer', second, false)
    await json('client remove timer')
    await assertState('timer', third, false)
  })

  const refusals: readonly (readonly [words: string, code: number, text: RegExp])[] = [
    ['client add x --type web', 4, /redirect_uris must name at least one address/],
    ['client add x --type desktop', 4, /type must be one of web/],
    [`client add 42 --type web --redirect ${redirect}`, 4, /id must not be digits alone/],
    [`client add grafana --type web --redirect ${redirect}`, 4, /Client already exists/],
    [`client add shop --type web --redirect ${redirect}`, 4, /Client is in the file of clients/],
    ['client secret nobody', 3, /Client not found/],
    ['client retire grafana', 4, /Client has no earlier secret/],
    ['client remove nobody', 3, /Client not found/],
  ]
  for (const [words, code, text] of refusals) {
    test(`${words}: ${code}, and nothing is stored`, async () => {
      const before = await app.rows()
      const ran = await run(words)
      assert.deepEqual([ran.code, ran.stdout], [code, ''])
      assert.match(ran.stderr, text)
      assert.deepEqual(await app.rows(), before)
    })
  }
})
