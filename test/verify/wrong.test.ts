// A database makes a difference: what is left in it.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { loginMutations } from './login-mutations.ts'
import { resourceMutations } from './resource-mutations.ts'
import { peopleAndDoings, verified } from './verified.ts'
import { wrongService } from './wrong-service.ts'

const mutations = [...resourceMutations, ...loginMutations]

suite('gatehouse verify finds each wrong row', async () => {
  const app = await testApp()
  const { url } = await app.listen()
  const wrong = await wrongService(url)
  const only = (words: readonly string[]) => words.map((word) => `--only ${word}`).join(' ')

  test('there are at least 30', () => assert.ok(mutations.length >= 30))

  const before = await peopleAndDoings(app)

  test('without a mutation nothing is found', async () => {
    const ids = new Set(mutations.flatMap((one) => one.found))
    const { code, failed, report } = await verified(app, wrong.url, only([...ids]))
    assert.deepEqual([failed, report.left, code], [[], [], 0])
    assert.ok(report.passed >= ids.size)
  })

  for (const { found, make, only: ids, wrong: what } of mutations) {
    test(what, async () => {
      wrong.spoil = make()
      const { code, failed, report } = await verified(app, wrong.url, only(ids))
      assert.deepEqual([failed, report.left, code], [found, [], 1])
    })
  }

  test('nothing of all runs is left', async () => {
    assert.deepEqual(await peopleAndDoings(app), before)
  })
})
