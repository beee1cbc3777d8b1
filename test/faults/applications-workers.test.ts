import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import { asClient } from '../clients.ts'
import {
  newCode,
  providerSettings,
  refreshWith,
  signedInBrowser,
  tokensFor,
  userinfoStatus,
} from './application.ts'
import type { Reply } from './http.ts'
import { basic } from './node.ts'
import { waitUntil } from './waiting.ts'
import { databases, startWorkers, type WorkersNode, workerOf } from './workers.ts'

const headers = asClient('notes') as Record<string, string>
const kidOf = ({ body }: Reply) => decodeProtectedHeader(body.id_token).kid

for (const database of databases) {
  suite(`two workers are one provider, ${database}`, () => {
    const { env, remove } = providerSettings()
    let starting: Promise<WorkersNode> | undefined
    const place = () => {
      const more = { ...env, REFRESH_GRACE_SECONDS: '60' }
      starting ??= startWorkers({ database, env: more })
      return starting
    }
    after(async () => {
      await (await starting)?.remove()
      remove()
    })

    const refreshAtEach = async (token: string) =>
      (await place()).atEach('POST', '/oauth/token', { headers, form: refreshWith(token) })

    test('a code and a refresh token of one are good at the other, and a code counts once', async () => {
      const { call, atEach } = await place()
      const browser = await signedInBrowser(call)
      const { body } = await tokensFor(call, await newCode(browser))
      const authorization = `Bearer ${body.access_token}`
      for (const reply of await atEach('GET', '/oauth/userinfo', { headers: { authorization } })) {
        assert.equal(reply.status, 200)
      }
      for (const { status, body: next } of await refreshAtEach(body.refresh_token)) {
        assert.equal(status, 200)
        assert.equal(await userinfoStatus(call, next.access_token), 200)
      }
      const form = await newCode(browser)
      const [first, ...others] = await atEach('POST', '/oauth/token', { headers, form })
      const later = await tokensFor(call, form)
      assert.deepEqual([first?.status, later.status], [200, 400])
      for (const { status } of others) assert.equal(status, 400)
      assert.equal(await userinfoStatus(call, first?.body.access_token), 401)
    })

    test('a key that rotates at once signs at both, and then the old one at none', async () => {
      const { call } = await place()
      const { body } = await tokensFor(call, await newCode(await signedInBrowser(call)))
      const json = { purpose: 'identity', at_once: true }
      const rotated = await call('POST', '/api/admin/keys/rotate', { headers: basic, json })
      assert.equal(rotated.status, 200, JSON.stringify(rotated.body))
      // Each process learns of the key before one signs by it.
      await waitUntil('the new key', async () => {
        const kids = (await refreshAtEach(body.refresh_token)).map(kidOf)
        return kids.every((kid) => kid === rotated.body.kid)
      })
      for (let round = 0; round < 3; round += 1) {
        const answers = await refreshAtEach(body.refresh_token)
        assert.equal(new Set(answers.map(workerOf)).size, 2)
        assert.deepEqual(answers.map(kidOf), [rotated.body.kid, rotated.body.kid])
      }
    })

    test('a sign-out at one ends the tokens at both at once', async () => {
      const { call, atEach } = await place()
      for (let round = 0; round < 4; round += 1) {
        const browser = await signedInBrowser(call)
        const { body } = await tokensFor(call, await newCode(browser))
        await browser.open('/signout')
        await browser.submit()
        const authorization = `Bearer ${body.access_token}`
        for (const { status } of await atEach('GET', '/oauth/userinfo', {
          headers: { authorization },
        })) {
          assert.equal(status, 401)
        }
        for (const reply of await refreshAtEach(body.refresh_token)) {
          assert.deepEqual([reply.status, reply.body.error], [400, 'invalid_grant'])
        }
      }
    })
  })
}
