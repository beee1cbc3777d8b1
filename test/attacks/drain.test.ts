import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { shutDownUnderLoad } from '../faults/shutdowns.ts'

/** The same with a hundred connections, and a second signal: `npm run test:faults`. */
suite('R2: SIGTERM to a process with every connection busy', () => {
  test('every request that was sent is answered, no new caller is let in, and the exit code is 0', async () => {
    const {
      underWay,
      readiness,
      milliseconds: _,
      ...figures
    } = await shutDownUnderLoad({
      connections: 20,
      logins: 6,
    })
    assert.ok(underWay >= 20, `${underWay}: each connection had a request under way`)
    assert.deepEqual(figures, {
      dropped: 0,
      logins: 6,
      loginsDropped: 0,
      withoutClose: 0,
      exitCode: 0,
    })
    assert.ok(readiness.every((status) => status === 503 || status === 0))
  })
})
