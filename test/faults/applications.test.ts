import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { PageBrowser } from '../page-browser.ts'
import {
  newCode,
  type ProviderNode,
  refreshWith,
  signedInBrowser,
  startProviderNode,
  tokensFor,
  userinfoStatus,
} from './application.ts'
import { databases } from './workers.ts'

const flags = ['--import', './test/faults/die-in-request.ts']
const invalidGrant = { error: 'invalid_grant', error_description: 'grant request is invalid' }
const most = 60

/** The tokens that are stored, and the records of them: one transaction has both. */
async function assertWhole(node: ProviderNode) {
  const issued = await node.count(`audit_records where type = 'application_tokens_issued'`)
  const kinds = ['AccessToken', 'RefreshToken']
  const stored = await Promise.all(
    kinds.map((kind) => node.count(`provider_artifacts where kind = '${kind}'`)),
  )
  assert.deepEqual(stored, [issued, issued])
  return issued
}

/** After the grace, an old token whose use is stored ends the grant: no two of a family live. */
async function assertOneWinner(node: ProviderNode, browser: PageBrowser, last: number) {
  node.settings.REFRESH_GRACE_SECONDS = '0'
  await node.kill()
  await node.start()
  let kills = 0
  for (let step = last; kills < 2; step -= 1) {
    assert.ok(step > 0, 'no refresh was killed')
    const { body } = await tokensFor(node.call, await newCode(browser))
    const form = refreshWith(body.refresh_token)
    const live = `provider_artifacts where kind = 'RefreshToken' and consumed_at is null`
    const before = await node.count(live)
    const { status } = await tokensFor(node.call, form, step)
    await node.service.stop('SIGKILL')
    await node.start()
    if (status === 200) continue // statements of jobs count as steps, and were fewer this time
    assert.equal(status, 0)
    kills += 1
    const again = await tokensFor(node.call, form)
    const isLive = again.status === 200
    if (!isLive) assert.deepEqual([again.status, again.body], [400, invalidGrant])
    assert.equal(await node.count(live), isLive ? before : 0)
  }
}

for (const database of databases) {
  suite(`a service that is killed between any two statements, on ${database}`, () => {
    test('of a refresh: the family lives, by the old token within the grace, and by the new one', async () => {
      const env = { REFRESH_GRACE_SECONDS: '60' }
      const node = await startProviderNode(database, {
        env,
        flags,
        entry: 'test/faults/from-sources.ts',
      })
      try {
        const browser = await signedInBrowser(node.call)
        const first = await tokensFor(node.call, await newCode(browser))
        assert.equal(first.status, 200, JSON.stringify(first.body))
        let refresh = String(first.body.refresh_token)
        let kills = 0
        let committed = 0
        let step = 1
        for (let tries = 1; ; tries += 1) {
          assert.ok(tries < 2 * most, 'a refresh never ends')
          const before = await assertWhole(node)
          const answer = await tokensFor(node.call, refreshWith(refresh), step)
          if (answer.status === 200) {
            if (committed > 0) break
            // Statements of jobs count as steps, and were fewer this time.
            refresh = answer.body.refresh_token
            step -= 1
            continue
          }
          assert.equal(answer.status, 0)
          step += 1
          kills += 1
          await node.service.stop('SIGKILL')
          await node.start()
          const after = await assertWhole(node)
          committed += after - before
          const again = await tokensFor(node.call, refreshWith(refresh))
          assert.equal(
            again.status,
            200,
            `killed at step ${step - 1}: ${JSON.stringify(again.body)}`,
          )
          assert.equal(await userinfoStatus(node.call, again.body.access_token), 200)
          refresh = again.body.refresh_token
        }
        assert.ok(kills > 5, `${kills} kills`)
        await assertOneWinner(node, browser, step - 1)
      } finally {
        await node.remove()
      }
    })

    test('of a code: it is used or not, and what came of a code that is used twice has ended', async () => {
      const node = await startProviderNode(database, {
        flags,
        entry: 'test/faults/from-sources.ts',
      })
      try {
        const browser = await signedInBrowser(node.call)
        const outcomes: number[] = []
        let step = 1
        for (let tries = 1; ; tries += 1) {
          assert.ok(tries < 2 * most, 'a code is never exchanged')
          const form = await newCode(browser)
          const answer = await tokensFor(node.call, form, step)
          if (answer.status === 200) {
            if (outcomes.includes(400)) break // killed after the commit
            step -= 1 // as above
            continue
          }
          assert.equal(answer.status, 0)
          step += 1
          await node.service.stop('SIGKILL')
          await node.start()
          const again = await tokensFor(node.call, form)
          outcomes.push(again.status)
          const live = await node.count(`provider_artifacts where kind = 'RefreshToken'`)
          if (again.status === 200) {
            assert.equal(await userinfoStatus(node.call, again.body.access_token), 200)
            const next = await tokensFor(node.call, refreshWith(again.body.refresh_token))
            assert.equal(next.status, 200)
          } else {
            assert.deepEqual([again.status, again.body], [400, invalidGrant])
            assert.equal(live, 0)
          }
        }
        assert.ok(outcomes.includes(200) && outcomes.includes(400), outcomes.join())
      } finally {
        await node.remove()
      }
    })
  })
}
