import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createPeer } from './peer.ts'
import { createPoll, pollMs } from './poll.ts'

suite('a poll of a worker', () => {
  test('goes on without one that fails, and without one that has ended', async () => {
    const peer = createPeer(
      (message) =>
        peer.receive({ re: (message as { id: number }).id, error: 'the database is away' }),
      () => null,
    )
    const poll = createPoll(peer, 7)
    assert.deepEqual(await poll('metrics'), { pid: 7 })
    peer.close()
    assert.deepEqual(await poll('metrics'), { pid: 7, answer: undefined })
  })

  test('asks a silent one once about a topic, until it has answered', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const sent: { id: number; topic: string }[] = []
    const peer = createPeer(
      (message) => sent.push(message as { id: number; topic: string }),
      () => null,
    )
    const poll = createPoll(peer, 7)
    const first = poll('metrics')
    t.mock.timers.tick(pollMs)
    assert.deepEqual(await first, { pid: 7 })
    for (let scrape = 0; scrape < 100; scrape += 1) {
      assert.deepEqual(await poll('metrics'), { pid: 7 })
    }
    const other = poll('refusals')
    assert.deepEqual(
      sent.map(({ topic }) => topic),
      ['metrics', 'refusals'],
    )
    for (const { id } of sent) peer.receive({ re: id, value: [id] })
    assert.deepEqual(await other, { pid: 7, answer: [sent[1]?.id] })
    await new Promise(setImmediate)
    const again = poll('metrics')
    peer.receive({ re: sent[2]?.id, value: ['again'] })
    assert.deepEqual(await again, { pid: 7, answer: ['again'] })
  })
})
