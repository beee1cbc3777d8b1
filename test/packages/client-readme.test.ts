import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import type { Client } from '../../packages/client/src/index.ts'
import { copyPackage } from '../../tools/build-packages.ts'
import { testApp } from '../app.ts'
import { enrol } from '../factor.ts'
import { folderOf, listingsOf } from '../use-it/listings.ts'
import { ownApi } from './client-tests.ts'

suite('packages/client/README.md and the client in docs/use-it.md', async () => {
  const app = await testApp()
  const { url } = await app.listen()
  const api = await ownApi()
  const built = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  after(() => rmSync(built, { recursive: true }))
  await copyPackage('client', built)
  /** Loads a listing of a document, whose addresses are those of this test. */
  const loads = (document: string) => {
    const places = { 'https://auth.example.org': url, 'https://api.example.com': api.url }
    const placed = [...listingsOf(document)].map(([name, text]) => {
      const entries = Object.entries(places)
      return [name, entries.reduce((one, [from, to]) => one.replaceAll(from, to), text)] as const
    })
    const folder = folderOf(new Map(placed), { 'gatehouse-client': built })
    return (file: string) => import(join(folder, file))
  }
  const load = loads('packages/client/README.md')

  test('orders.js: a session with a second factor, and a change of what was read', async () => {
    const ann = await app.account('ann')
    const { recoveryCodes } = await enrol(app, await app.session(ann))
    const { gatehouse, rename, session, signIn } = await load('orders.js')
    assert.equal(await session(), null)
    assert.equal(await signIn('ann', ann.password), 'totp')
    await assert.rejects(signIn('ann', 'a wrong one'), { status: 401 })
    assert.equal(await session(), null)
    const [recovery_code] = recoveryCodes
    await gatehouse.signIn({ username: 'ann', password: ann.password, recovery_code })
    assert.equal((await session()).username, 'ann')
    assert.equal((await rename(ann.userId, 'Ann B.')).name, 'Ann B.')
    await gatehouse.signOut()
    assert.equal(await session(), null)
  })

  test('shop.js: an order at an API of the application', async () => {
    const { gatehouse, order } = await load('shop.js')
    const { username, password } = await app.account('bob')
    await (gatehouse as Client).signIn({ username, password })
    await order('lamp')
    assert.match(api.requests[0]?.headers.authorization ?? '', /^Bearer ey/)
    api.answer = { status: 409 }
    await assert.rejects(order('lamp'), /the order is refused: 409/)
    await gatehouse.signOut()
  })

  test('file-store.js: keeps tokens for one user of the machine', async () => {
    const { fileStore } = await load('file-store.js')
    const path = join(built, 'tokens.json')
    const store = fileStore(path)
    assert.equal(await store.read(), null)
    await store.write({ access_token: 'a', refresh_token: 'b' })
    assert.deepEqual(await store.read(), { access_token: 'a', refresh_token: 'b' })
    assert.equal(statSync(path).mode & 0o777, 0o600)
    await store.write(null)
    assert.equal(await store.read(), null)
  })

  test('page.js of docs/use-it.md: who is signed in', async () => {
    const { person, signIn, signOut } = await loads('docs/use-it.md')('page.js')
    const { password } = await app.account('cleo')
    assert.equal(await person(), null)
    await assert.rejects(signIn('cleo', 'a wrong one'), { status: 401 })
    assert.equal(await signIn('cleo', password), null)
    assert.equal(await person(), 'cleo')
    await signOut()
    assert.equal(await person(), null)
  })
})
