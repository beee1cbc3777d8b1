import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { changeClients } from '../../src/modules/clients/change-file.ts'
import { testApp } from '../app.ts'
import { asClient, ask, clientsFile, entry, hashOf, secretOf } from '../clients.ts'
import { fixedClock } from '../clock.ts'
import { folder } from '../copies.ts'
import { until } from '../until.ts'
import { gatehouse, type Surroundings } from './gatehouse.ts'

const rights = '--audience api --may introspect --may revoke'

suite('gatehouse client', async () => {
  const place = folder()
  const run = (words: string, more?: Surroundings) => gatehouse(place, words, more)
  const json = async (words: string) => {
    const { code, stdout, stderr } = await run(`${words} --json`)
    assert.deepEqual([code, stderr], [0, ''], words)
    return JSON.parse(stdout)
  }
  const entries = (path: string) => JSON.parse(readFileSync(path, 'utf8')).clients
  const modeOf = (path: string) => statSync(path).mode & 0o777
  let made = 0
  const newFile = (...clients: object[]) => {
    const path = join(place, `clients-${++made}.json`)
    if (clients.length > 0) writeFileSync(path, JSON.stringify({ clients }), { mode: 0o600 })
    return path
  }

  test('add makes a file of mode 0600, and a secret that the service accepts', async () => {
    const path = newFile()
    const ran = await run(`client add shop ${rights} --file ${path}`)
    assert.deepEqual([ran.code, ran.stderr], [0, ''])
    const [, secret = ''] = / {2}secret {2}(\S+) {3}\(shown once\)/.exec(ran.stdout) ?? []
    assert.match(secret, /^[\w-]{43}$/)
    assert.equal(modeOf(path), 0o600)
    assert.deepEqual(entries(path), [
      {
        id: 'shop',
        secret_hash: hashOf(secret),
        audiences: ['api'],
        may: ['introspect', 'revoke'],
      },
    ])
    assert.match(ran.stdout, new RegExp(`CLIENTS_FILE=${path} is set`))
    const app = await testApp({ CLIENTS_FILE: path })
    const token = await app.token(app.admin)
    const headers = asClient('shop', secret)
    assert.equal((await ask(app, 'introspect', token, { headers })).body.active, true)
    assert.deepEqual(
      readdirSync(place).filter((name) => name.endsWith('.new')),
      [],
    )
    await app.close()
  })

  test('add with --json, by CLIENTS_FILE; the entries of others and the mode stay', async () => {
    const other = entry('other', {
      secret_hash: undefined,
      secret_hashes: [hashOf(secretOf('other')), hashOf(secretOf('other', 2))],
    })
    const path = newFile(other)
    chmodSync(path, 0o640)
    const words = 'client add shop --audience a --audience b --audience a --may revoke --json'
    const { code, stdout } = await run(words, { env: { CLIENTS_FILE: path } })
    const { secret, ...shown } = JSON.parse(stdout)
    assert.deepEqual(
      [code, shown],
      [0, { id: 'shop', audiences: ['a', 'b'], may: ['revoke'], file: path }],
    )
    const added = {
      id: 'shop',
      secret_hash: hashOf(secret),
      audiences: ['a', 'b'],
      may: ['revoke'],
    }
    assert.deepEqual(entries(path), [JSON.parse(JSON.stringify(other)), added])
    assert.equal(modeOf(path), 0o640)
  })

  test('a symbolic link stays, and the file behind it is changed', async () => {
    const path = newFile(entry('other'))
    const link = join(place, 'link.json')
    symlinkSync(path, link)
    await json(`client add shop ${rights} --file ${link}`)
    assert.ok(lstatSync(link).isSymbolicLink())
    assert.deepEqual(
      entries(path).map(({ id }: { id: string }) => id),
      ['other', 'shop'],
    )
  })

  test('list, secret, retire and remove', async () => {
    const path = newFile(entry('other'))
    const first = await json(`client add shop ${rights} --file ${path}`)
    const second = await json(`client secret shop --file ${path}`)
    const hashes = () => {
      const { secret_hash, secret_hashes } = entries(path)[1]
      return secret_hashes ?? [secret_hash]
    }
    assert.deepEqual(hashes(), [hashOf(second.secret), hashOf(first.secret)])
    assert.deepEqual(await json(`client list --file ${path}`), [
      { id: 'other', audiences: ['api'], may: ['introspect', 'revoke'], secrets: 1 },
      { id: 'shop', audiences: ['api'], may: ['introspect', 'revoke'], secrets: 2 },
    ])
    const third = await json(`client secret shop --file ${path}`)
    assert.deepEqual(hashes(), [hashOf(third.secret), hashOf(second.secret)], 'two at most')
    await json(`client retire shop --file ${path}`)
    assert.deepEqual(hashes(), [hashOf(third.secret)])
    await json(`client secret shop --file ${path}`)
    const leaked = await json(`client secret shop --now --file ${path}`)
    assert.deepEqual(hashes(), [hashOf(leaked.secret)])
    await json(`client remove shop --file ${path}`)
    assert.deepEqual(
      entries(path).map(({ id }: { id: string }) => id),
      ['other'],
    )
    await json(`client remove other --file ${path}`)
    assert.deepEqual(await json(`client list --file ${path}`), [])
  })

  const shop = newFile(entry('shop'))
  const broken = newFile(entry('shop'), entry('shop'))
  const aFolder = join(place, 'folder')
  mkdirSync(aFolder)
  const refusals: readonly (readonly [words: string, code: number, text: RegExp])[] = [
    [`client add shop ${rights} --file ${shop}`, 4, /^there is a client shop already$/],
    [`client add a:b ${rights} --file ${shop}`, 2, /^an id has 1 to 64 letters/],
    [`client add '' ${rights} --file ${shop}`, 2, /^an id has 1 to 64 letters/],
    [`client add ${rights} --file ${shop}`, 2, /^missing: <id>$/],
    [`client add a b ${rights} --file ${shop}`, 2, /^too many words: 1 expected, 2 given$/],
    [`client add b --may revoke --file ${shop}`, 2, /^--audience is missing$/],
    [`client add b --audience '' --may revoke --file ${shop}`, 2, /^an audience has 1 to 256/],
    [`client add b --audience a --file ${shop}`, 2, /^--may is missing$/],
    [
      `client add b --audience a --may fly --file ${shop}`,
      2,
      /^--may takes introspect, revoke or metrics, not fly$/,
    ],
    [`client add b --may metrics --may revoke --file ${shop}`, 2, /^--audience is missing/],
    [`client add b --audience a --file ${shop}`, 2, /^--may is missing/],
    [`client add b ${rights} --secret x --file ${shop}`, 2, /^a password or token is never an/],
    [`client add b ${rights} --wrong --file ${shop}`, 2, /^there is no option --wrong$/],
    [`client add b ${rights}`, 2, /^name the file of clients: --file, or CLIENTS_FILE$/],
    [
      `client add b ${rights} --file ${place}/none/c.json`,
      2,
      /cannot be read or changed \(ENOENT\)$/,
    ],
    [`client add b ${rights} --file ${aFolder}`, 2, /is no file$/],
    [`client add b ${rights} --file ${shop}/c.json`, 2, /cannot be read or changed \(ENOTDIR\)$/],
    [`client add b ${rights} --file ${broken}`, 1, /has the client shop twice/],
    [`client list --file ${broken}`, 1, /has the client shop twice/],
    [`client list --file ${place}/none.json`, 3, /^there is no file .*none\.json$/],
    [`client secret nobody --file ${shop}`, 3, /^there is no client nobody$/],
    [`client retire nobody --file ${shop}`, 3, /^there is no client nobody$/],
    [`client retire shop --file ${shop}`, 4, /^shop has only one secret$/],
    [`client remove nobody --file ${shop}`, 3, /^there is no client nobody$/],
    [`client remove shop --file ${place}/none.json`, 3, /^there is no file .*none\.json$/],
  ]
  for (const [words, code, text] of refusals) {
    test(`${words.replaceAll(place, '')}: ${code}, and nothing is half done`, async () => {
      const before = [shop, broken].map((path) => readFileSync(path, 'utf8'))
      const files = readdirSync(place).toSorted()
      const ran = await run(words)
      assert.deepEqual([ran.code, ran.stdout], [code, ''])
      assert.match((ran.stderr.split('\n')[0] ?? '').replace(/^error: /, ''), text)
      assert.deepEqual(
        [shop, broken].map((path) => readFileSync(path, 'utf8')),
        before,
      )
      assert.deepEqual(readdirSync(place).toSorted(), files)
      assert.equal(existsSync(join(place, 'none')), false)
    })
  }

  test('several commands at once: each of them counts', async () => {
    const path = newFile(entry('shop'))
    const ids = ['a', 'b', 'c', 'd', 'e', 'f']
    const ran = await Promise.all(ids.map((id) => run(`client add ${id} ${rights} --file ${path}`)))
    assert.deepEqual(
      ran.map(({ code }) => code),
      ids.map(() => 0),
    )
    const there = entries(path).map(({ id }: { id: string }) => id)
    assert.deepEqual(there.toSorted(), [...ids, 'shop'].toSorted())
  })

  test('a change waits for another, 2 seconds at most, and then tells what to do', async () => {
    const path = clientsFile([entry('shop')])
    const before = readFileSync(path, 'utf8')
    writeFileSync(`${path}.new`, '')
    const clock = fixedClock()
    const change = changeClients(path, () => [], { clock }).catch((error: unknown) => error)
    for (let waited = 0; waited < 40; waited += 1) {
      await until(() => clock.waits().length === 1)
      clock.advance(0.05)
    }
    const message = `another command changes ${path}; if there is none, delete ${path}.new`
    assert.equal(((await change) as Error).message, message)
    assert.equal(readFileSync(path, 'utf8'), before)
    assert.ok(existsSync(`${path}.new`), 'it is the other one that made it')
  })
})
