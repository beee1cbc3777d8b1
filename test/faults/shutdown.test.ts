import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { forceShutDown, shutDownUnderLoad } from './shutdowns.ts'

suite('R2: SIGTERM under load', { concurrency: true }, () => {
  test('every request that was sent is answered, no new caller is let in, and the exit code is 0', async () => {
    const figures = await shutDownUnderLoad({ connections: 100, logins: 20 })
    assert.ok(figures.underWay > 20, String(figures.underWay))
    assert.equal(figures.dropped, 0)
    assert.equal(figures.loginsDropped, 0)
    assert.equal(figures.withoutClose, 0)
    assert.ok(figures.readiness.length > 0)
    assert.ok(figures.readiness.every((status) => status === 503 || status === 0))
    assert.equal(figures.exitCode, 0) // it would be 1 after ten seconds by the clock of the service
  })

  test('a second signal ends at once a process that waits for a caller', async () => {
    const { exitCode, milliseconds } = await forceShutDown({ secondAfterMs: 2100 })
    assert.equal(exitCode, 1)
    assert.ok(milliseconds < 9000, `${milliseconds} ms: by itself it ends after ten seconds`)
  })
})
