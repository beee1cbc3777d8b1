import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Secret } from '../crypto/secret.ts'
import { runOnThread, Thread, ThreadFailed } from './thread.ts'

/** What the thread of these tests does: see test/sample-thread.ts. */
export interface SampleRequest {
  readonly act: 'reply' | 'fail' | 'count' | 'hang' | 'exit'
  readonly secret?: Secret
  readonly bytes?: Uint8Array
}

const from = new URL('../../../test/sample-thread.ts', import.meta.url).href
const file = { from, path: './sample-thread' } as const
const memory = { maxOldGenerationSizeMb: 32 }
const run = (request: SampleRequest, options = {}) =>
  runOnThread<SampleRequest, string, number>(file, request, options)

suite('work on a thread', () => {
  test('receives secrets and parts of buffers, and replies', async () => {
    const bytes = new Uint8Array([0, 1, 2, 3]).subarray(1, 3)
    const secret = new Secret('hidden')
    assert.equal(await run({ act: 'reply', secret, bytes }), 'hidden 1,2 of 2')
  })

  test('fails with the message, type and code of the error', async () => {
    await assert.rejects(run({ act: 'fail' }), (error: unknown) => {
      assert.ok(error instanceof ThreadFailed)
      assert.deepEqual([error.type, error.code], ['RangeError', 'ENOSPC'])
      assert.equal(error.message, 'no: a cause')
      return true
    })
  })

  test('waits until each note is handled, in order', async () => {
    const notes: number[] = []
    const onNote = async (note: number) => {
      await new Promise(setImmediate)
      notes.push(note)
    }
    assert.equal(await run({ act: 'count' }, { onNote }), 'counted')
    assert.deepEqual(notes, [1, 2, 3])
  })

  test('ends with the error of a note that cannot be handled', async () => {
    const refused = new Error('refused')
    const onNote = (note: number) => {
      if (note === 2) throw refused
    }
    await assert.rejects(run({ act: 'count' }, { onNote, graceMs: 5000 }), refused)
  })

  test('rejects with the reason of the signal, also when the thread hangs or the signal came first', async () => {
    const reason = new Error('the service stops')
    const late = new AbortController()
    const hanging = run({ act: 'hang' }, { signal: late.signal, onNote: () => late.abort(reason) })
    await assert.rejects(hanging, reason)
    const first = AbortSignal.abort(reason)
    await assert.rejects(run({ act: 'hang' }, { signal: first }), reason)
  })

  test('fails when the thread ends', async () => {
    await assert.rejects(run({ act: 'exit' }), /^ThreadFailed: its thread has ended$/)
  })

  test('a thread answers several calls, and ends when it is closed', async () => {
    const thread = new Thread<SampleRequest, string, number>(file, memory)
    assert.equal(await thread.call({ act: 'count' }), 'counted')
    await assert.rejects(thread.call({ act: 'fail' }), ThreadFailed)
    assert.equal(await thread.call({ act: 'count' }), 'counted')
    await thread.close()
    await thread.exited
  })
})
