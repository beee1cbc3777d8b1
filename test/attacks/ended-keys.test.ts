import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { loadKeySet } from '../../src/modules/keys/key-set.ts'
import { createVerified } from '../../src/modules/tokens/verified.ts'
import { testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { asClient, ask, clientsFile, entry } from '../clients.ts'
import { fixedClock, steppingClock } from '../clock.ts'
import { heard } from '../database.ts'
import { accessClaims, forge, headerOf, hs256 } from '../forge.ts'

// Who has a key that leaked makes tokens with any `exp`: the end of the key must end them.
suite('a token does not outlive its key in the memory of a node', async () => {
  test('a key whose time is over verifies no token that was accepted before', async () => {
    const app = await testApp({ CLIENTS_FILE: clientsFile([entry('shop')]) })
    const { kid } = headerOf(await app.token(app.admin))
    const keys = await loadKeySet(app.deps)
    const key = await keys.find(String(kid))
    assert.ok(key)
    const claims = accessClaims(app, { exp: 4_000_000_000 })
    const forged = forge({ alg: 'HS256', kid }, claims, hs256(key.signWith.export()))
    const use = async () => {
      const headers = { authorization: `Bearer ${forged}` }
      const { status } = await app.call('GET', '/api/me', { headers })
      const { body } = await ask(app, 'introspect', forged, { headers: asClient('shop') })
      return [status, body.active]
    }
    const clock = steppingClock(app.clock)
    assert.equal((await gatehouse(app.directory, 'keys rotate --now', { clock })).code, 0)
    await heard(app)
    for (const { name, run } of app.app.jobs) if (name === 'keys of other processes') await run()
    const end = (await keys.list()).find(({ id }) => id === kid)?.retiredAt
    assert.ok(end)
    app.clock.advance((end - app.clock.now()) / 1000 - 1)
    assert.deepEqual(await use(), [200, true], 'in the last second of the key')
    app.clock.advance((end - app.clock.now()) / 1000)
    assert.deepEqual(await use(), [401, false])
  })

  for (const end of ['its time is over', 'it is retired']) {
    test(`a public key is published no more after ${end}`, async () => {
      const app = await testApp({ TOKEN_ALGORITHM: 'RS256' })
      const published = async (): Promise<string[]> =>
        (await app.call('GET', '/.well-known/jwks.json')).body.keys.map(
          ({ kid }: { kid: string }) => kid,
        )
      const [kid = ''] = await published()
      const clock = steppingClock(app.clock)
      const command = async (words: string) => {
        const { code, stderr } = await gatehouse(app.directory, words, { clock })
        assert.equal(code, 0, stderr)
        await heard(app)
        for (const { name, run } of app.app.jobs)
          if (name === 'keys of other processes') await run()
      }
      await command('keys rotate --now')
      const both = await published()
      assert.deepEqual([both.length, both.includes(kid)], [2, true])
      if (end === 'it is retired') await command(`keys retire ${kid}`)
      else {
        const keys = await loadKeySet(app.deps)
        const retiredAt = (await keys.list()).find(({ id }) => id === kid)?.retiredAt
        assert.ok(retiredAt)
        app.clock.advance((retiredAt - app.clock.now()) / 1000 + 60)
      }
      assert.deepEqual(
        await published(),
        both.filter((one) => one !== kid),
      )
    })
  }

  test('a key that is retired while a signature is verified', async () => {
    const app = await testApp()
    const claims = { ...accessClaims(app, { exp: 4_000_000_000 }), amr: [] }
    const keys = { generation: 0 }
    const verified = createVerified({
      clock: fixedClock(),
      keys,
      tokens: {
        async verifyAccess() {
          keys.generation += 1 // as the key set does, which another request has read again
          assert.equal(verified.recall('other'), undefined)
          return claims as never
        },
      },
    })
    for (const use of ['first', 'second', 'third']) {
      await verified.verify('token')
      assert.equal(verified.recall('token'), undefined, `verified again after the ${use} use`)
    }
  })
})
