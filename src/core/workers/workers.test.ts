import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { suite, test } from 'node:test'
import { maxWorkers, parseWorkers, wantsSeveral } from './count.ts'
import { primaryLog, wholeLines } from './log.ts'
import { createPeer } from './peer.ts'
import { pauseMs } from './primary.ts'
import { createPrimaryLimits } from './shared-limits.ts'
import { shareOf, soleProcess } from './workers.ts'

suite('WORKERS', () => {
  test('is a number of processes, or one for each core', () => {
    assert.deepEqual(['1', '2', '32'].map(parseWorkers), [1, 2, 32])
    assert.equal(parseWorkers('auto'), Math.min(availableParallelism(), maxWorkers))
  })

  test('refuses everything else, and such a text starts no primary', () => {
    const wrong = ['0', '-1', '33', '1000', '1.5', 'two', 'AUTO', ' 2', '2 ', '1e1', '0x2', '٢']
    for (const text of wrong) {
      assert.throws(
        () => parseWorkers(text),
        /^Error: must be auto, or a whole number from 1 to 32$/,
      )
      assert.equal(wantsSeveral(text), false, text)
    }
    assert.deepEqual([undefined, '', '1', '2'].map(wantsSeveral), [false, false, false, true])
  })
})

suite('the share of a worker in a limit', () => {
  const shares = (total: number, count: number) =>
    Array.from({ length: count }, (_, index) => shareOf(total, { index, count }))

  test('is the limit, all together, and at least one each', () => {
    assert.deepEqual(shares(10, 1), [10])
    assert.deepEqual(shares(10, 3), [4, 3, 3])
    assert.deepEqual(shares(128, 2), [64, 64])
    assert.deepEqual(shares(2, 3), [1, 1, 1])
    assert.equal(soleProcess.share(7), 7)
  })
})

suite('the log of several processes', () => {
  test('passes on whole lines, however they come in pieces, and drops what is torn', () => {
    const written: string[] = []
    const take = wholeLines((lines) => written.push(Buffer.from(lines).toString()))
    const bytes = Buffer.from('{"a":"ä€"}\n{"b":1}\n{"c":')
    for (const byte of bytes) take(Buffer.from([byte]))
    assert.deepEqual(written, ['{"a":"ä€"}\n', '{"b":1}\n'])
    take(Buffer.from('2}\n{"d":3}\n{'))
    assert.deepEqual(written.slice(2), ['{"c":2}\n{"d":3}\n'])
  })

  test('has lines of the primary as those of a worker, from LOG_LEVEL on', () => {
    const written: string[] = []
    const output = { write: (line: string | Uint8Array) => void written.push(String(line)) }
    for (const level of [undefined, '', 'info', 'trace', 'error', 'silent']) {
      const { log } = primaryLog(output, level)
      log('info', { event: 'sys_shutdown' }, `stopped ${level}`)
    }
    const lines = written.map((line) => JSON.parse(line))
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ['stopped undefined', 'stopped ', 'stopped info', 'stopped trace'],
    )
    assert.deepEqual(Object.keys(lines[0]), ['level', 'time', 'event', 'msg'])
  })
})

suite('a worker that dies', () => {
  test('is replaced at once, and ever later if it dies at its start again and again', () => {
    assert.deepEqual(
      [0, 1, 2, 3, 6, 7, 8, 100].map(pauseMs),
      [0, 100, 200, 400, 3200, 5000, 5000, 5000],
    )
  })

  test('leaves no question open', async () => {
    const peer = createPeer(
      () => {},
      () => null,
    )
    const asked = peer.ask('x')
    peer.close()
    assert.equal(await asked, undefined)
    assert.equal(await peer.ask('y'), undefined)
  })
})

suite('the channel between two processes', () => {
  test('carries answers and errors to those who asked', async () => {
    const ends = {
      left: createPeer(send('right'), answer),
      right: createPeer(send('left'), answer),
    }
    function send(to: 'left' | 'right') {
      return (message: unknown) => ends[to].receive(JSON.parse(JSON.stringify(message)))
    }
    function answer(topic: string, data: unknown) {
      if (topic === 'fails') throw new Error('no')
      return [topic, data]
    }
    assert.deepEqual(await Promise.all([ends.left.ask('a', 1), ends.right.ask('b', { c: 2 })]), [
      ['a', 1],
      ['b', { c: 2 }],
    ])
    await assert.rejects(ends.left.ask('fails'), /^Error: no$/)
  })
})

suite('the limits that the primary counts', () => {
  const [one, two] = [{}, {}]
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const asked = (id: number, caller: string, mayBeRefused = true) => ({ id, caller, mayBeRefused })

  test('a request counts for all workers, and each answer is of its own moment', () => {
    const limits = createPrimaryLimits()
    const count = (now: number) => limits.count({ address: 'a', windowMs: 100, now })
    const answers = [count(0), count(1), count(99), count(100)]
    assert.deepEqual(answers, [
      { endsAt: 100, requests: 1 },
      { endsAt: 100, requests: 2 },
      { endsAt: 100, requests: 3 },
      { endsAt: 200, requests: 1 },
    ])
  })

  test('two batches of all workers at a time, one of each caller; a dead worker frees its own', async () => {
    const limits = createPrimaryLimits()
    const told: string[] = []
    const ask = (worker: object, id: number, caller: string) =>
      limits.batch(worker, asked(id, caller)).then((answer) => told.push(`${caller} ${answer}`))
    void ask(one, 1, 'ann')
    void ask(two, 1, 'ann')
    void ask(two, 2, 'ben')
    void ask(one, 2, 'eve')
    await turn()
    assert.deepEqual(told, ['ann go', 'ben go'])
    limits.endBatch(two, 2)
    await turn()
    await turn()
    assert.deepEqual(told.slice(2), ['eve go'])
    limits.forget(one)
    await turn()
    await turn()
    assert.deepEqual(told.slice(3), ['ann go'])
  })

  test('a batch of a dead worker that waits takes no turn', async () => {
    const limits = createPrimaryLimits()
    const told: string[] = []
    const ask = (worker: object, id: number, caller: string) =>
      limits.batch(worker, asked(id, caller)).then((answer) => told.push(`${caller} ${answer}`))
    void ask(two, 1, 'ann')
    void ask(two, 2, 'ben')
    void ask(one, 1, 'eve')
    void ask(two, 3, 'joe')
    await turn()
    limits.forget(one)
    limits.endBatch(two, 1)
    await turn()
    await turn()
    assert.deepEqual(told, ['ann go', 'ben go', 'eve gone', 'joe go'])
  })

  test('a batch that waits is refused when too many wait, and leaves when its client does', async () => {
    const limits = createPrimaryLimits()
    const answers = Array.from({ length: 66 }, (_, id) => limits.batch(one, asked(id, 'ann')))
    assert.equal(await answers[0], 'go')
    assert.equal(await answers[65], 'refused')
    limits.cancelBatch(one, 64)
    assert.equal(await answers[64], 'gone')
    limits.cancelBatch(one, 999)
    limits.endBatch(two, 1)
  })
})
