import assert from 'node:assert/strict'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { checkpointDigest, signCheckpoint } from '../checkpoint-form.ts'
import { checkpointKey } from '../checkpoint-key.ts'
import type { AuditRecord } from '../record-form.ts'
import { linesOf } from '../verify/outside-file.ts'
import { checkpointOfLine, fileSink, lineOf, maxLineBytes } from './file-sink.ts'
import { sinkOffsets, sinksOf } from './sinks.ts'

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
after(() => rmSync(directory, { recursive: true }))

let files = 0
function newPath(content?: string | Buffer): string {
  files += 1
  const path = join(directory, `${files}.jsonl`)
  if (content !== undefined) writeFileSync(path, content)
  return path
}

const key = checkpointKey(Buffer.alloc(32, 1))
const checkpoint = (number: number) =>
  signCheckpoint(key, { number, at: 5, previous: '', heads: '[]', records: 0 })
const line = (number: number) => lineOf({ checkpoint: checkpoint(number) })
const offsetOf = (number: number) => ({ number, digest: checkpointDigest(checkpoint(number)) })
const sinkOf = (path: string, more: object = {}) =>
  fileSink({ name: 'file', path, takesRecords: true, mayRepair: true, ...more })
const record: AuditRecord = {
  ...{ number: 9, chain: 'a', place: 2, id: 'i', at: 5, type: 't', level: 'info' },
  ...{ outcome: 'success', reason: null, request_id: 'r', facts: '{"actor":"cli"}' },
  ...{ actor_key: 'k', actor_sealed: 's', target_key: null, target_sealed: null, indexed: 1 },
  ...{ actor_index: 'A', target_index: null, address_index: 'D', mac: 'm' },
}

suite('a line of the file', () => {
  test('of a record has digests in place of persons, and nothing sealed', () => {
    const shown = {
      ...{ chain: 'a', place: 2, number: 9, id: 'i', at: 5, type: 't', level: 'info' },
      ...{ outcome: 'success', reason: null, request_id: 'r', facts: { actor: 'cli' } },
      ...{ actor: 'A', target: null, address: 'D', mac: 'm' },
    }
    assert.deepEqual(JSON.parse(lineOf({ record })), { record: shown })
    const broken = JSON.parse(lineOf({ record: { ...record, facts: '{' } }))
    assert.equal(broken.record.facts, '{')
    assert.match(lineOf({ record: { ...record, id: 'ä\n' } }), /^[ -~]+\n$/)
  })

  test('of a checkpoint is read as it was written, also behind the header of syslog', () => {
    assert.deepEqual(checkpointOfLine(line(3)), checkpoint(3))
    assert.deepEqual(checkpointOfLine(`<109>1 - host x: ${line(3)}`), checkpoint(3))
  })

  const good = checkpoint(3)
  for (const [name, text] of [
    ['of text', 'text'],
    ['that is empty', ''],
    ['of null', 'null'],
    ['of a number', '5'],
    ['of a record', lineOf({ record })],
    ['without a checkpoint', '{"checkpoint":null}'],
    ['of another kind', '{"checkpoint":"x"}'],
    ['that was cut', line(3).slice(0, -4)],
    ...['number', 'at', 'records'].flatMap((field) => [
      [`whose ${field} is a text`, JSON.stringify({ checkpoint: { ...good, [field]: '1' } })],
      [`without ${field}`, JSON.stringify({ checkpoint: { ...good, [field]: undefined } })],
      [`whose ${field} is no integer`, JSON.stringify({ checkpoint: { ...good, [field]: 1.5 } })],
    ]),
    ...['previous', 'heads', 'key_id', 'signature'].map((field) => [
      `whose ${field} is a number`,
      JSON.stringify({ checkpoint: { ...good, [field]: 1 } }),
    ]),
  ] as [string, string][]) {
    test(`${name} holds no checkpoint`, () => assert.equal(checkpointOfLine(text), null))
  }

  test('holds no more than the fields of a checkpoint', () => {
    assert.deepEqual(checkpointOfLine(JSON.stringify({ checkpoint: { ...good, more: 1 } })), good)
  })
})

suite('the file of a sink', () => {
  test('is made for its owner alone, and appended to', async () => {
    const path = newPath()
    const sink = sinkOf(path)
    assert.deepEqual([sink.name, sink.takesRecords, sink.fromTheBeginning], ['file', true, false])
    assert.equal(sinkOf(path, { takesRecords: false }).fromTheBeginning, true)
    assert.equal(await sink.offset(), null)
    await sink.send([{ record }, { checkpoint: checkpoint(1) }])
    await sink.send([{ checkpoint: checkpoint(2) }])
    assert.equal(readFileSync(path, 'utf8'), lineOf({ record }) + line(1) + line(2))
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.deepEqual(await sink.offset(), offsetOf(2))
  })

  test('that is none is refused, and nothing is written', async () => {
    const path = newPath()
    mkdirSync(path)
    await assert.rejects(sinkOf(path).offset())
    await assert.rejects(sinkOf(path).send([{ record }]))
    await assert.rejects(sinkOf('/dev/null').send([{ record }]), /\/dev\/null is no file/)
  })

  test('an unfinished line is cut off by the process that may, and ended by others', async () => {
    const begun = `${line(1)}{"checkpoint":{"num`
    const [own, other] = [newPath(begun), newPath(begun)]
    for (const path of [own, other]) assert.deepEqual(await sinkOf(path).offset(), offsetOf(1))
    await sinkOf(own).send([{ checkpoint: checkpoint(2) }])
    await sinkOf(other, { mayRepair: false }).send([{ checkpoint: checkpoint(2) }])
    assert.equal(readFileSync(own, 'utf8'), line(1) + line(2))
    assert.equal(readFileSync(other, 'utf8'), `${begun}\n${line(2)}`)
    for (const path of [own, other]) assert.deepEqual(await sinkOf(path).offset(), offsetOf(2))
  })

  test('a file of one unfinished line alone begins again', async () => {
    const path = newPath('x'.repeat(70_000))
    assert.equal(await sinkOf(path).offset(), null)
    await sinkOf(path).send([{ checkpoint: checkpoint(1) }])
    assert.equal(readFileSync(path, 'utf8'), line(1))
  })

  test('the last checkpoint is found before any lines that hold none', async () => {
    const others = lineOf({ record }).repeat(1000)
    assert.ok(others.length > 3 * 65_536)
    for (const content of [
      line(1) + line(2) + others,
      others + line(2) + others,
      `${line(2)}text\n\n{"checkpoint":{}}\n`,
      `${line(2)}${'x'.repeat(65_536 * 2)}\n`,
      `${line(1)}${'y'.repeat(65_536 - line(2).length)}\n${line(2)}`,
    ]) {
      assert.deepEqual(await sinkOf(newPath(content)).offset(), offsetOf(2))
    }
    assert.equal(await sinkOf(newPath(others)).offset(), null)
    assert.equal(await sinkOf(newPath('')).offset(), null)
  })

  test('a checkpoint is found wherever blocks of the file begin', async () => {
    const size = 65_536
    for (const shift of [0, 1, 2, 50, line(2).length - 1, line(2).length]) {
      const filler = `${'z'.repeat(size - shift - 1)}\n`
      const path = newPath(line(1) + line(2) + filler)
      assert.deepEqual(await sinkOf(path).offset(), offsetOf(2), `${shift}`)
    }
  })

  test('a line that is too long is passed over', async () => {
    const path = newPath(line(1))
    appendFileSync(path, Buffer.alloc(maxLineBytes + 70_000, 'x'))
    appendFileSync(path, '\n')
    assert.deepEqual(await sinkOf(path).offset(), offsetOf(1))
  })
})

suite('the lines of a file', () => {
  const read = async (content: string, max?: number) =>
    Array.fromAsync(linesOf(newPath(content), max))
  for (const [content, expected] of [
    ['', []],
    ['a', ['a']],
    ['a\nb\n', ['a', 'b']],
    ['a\r\n\r\nb', ['a', '', 'b']],
    ['\n', ['']],
    ['ä\r', ['ä']],
  ] as const) {
    test(JSON.stringify(content), async () => assert.deepEqual(await read(content), expected))
  }

  test('that are too long are replaced', async () => {
    const long = '(a line that is too long)'
    assert.deepEqual(await read('12345\n123456\n1\n123456', 5), ['12345', long, '1', long])
  })

  test('are those that the file has at the call', async () => {
    const path = newPath('a\n')
    const lines = linesOf(path)
    appendFileSync(path, 'b\n')
    assert.deepEqual(await Array.fromAsync(lines), ['a'])
    assert.throws(() => linesOf(newPath()), /ENOENT/)
  })

  test('longer than a block are whole', async () => {
    const long = 'x'.repeat(200_000)
    assert.deepEqual(await read(`${long}\ny`), [long, 'y'])
  })

  test('is read from a line that fills more than one block', async () => {
    const heads = 'h'.repeat(200_000)
    const long = signCheckpoint(key, { number: 3, at: 5, previous: '', heads, records: 0 })
    for (const end of ['', `${lineOf({ record })}`]) {
      const path = newPath(line(2) + lineOf({ checkpoint: long }) + end)
      const digest = checkpointDigest(long)
      assert.deepEqual(await sinkOf(path).offset(), { number: 3, digest })
    }
  })
})

suite('the offsets of sinks', () => {
  test('are kept by name, in a file of the owner alone', async () => {
    const path = newPath()
    const offsets = sinkOffsets(path)
    assert.equal(await offsets.get('a'), null)
    await Promise.all([offsets.set('a', offsetOf(1)), offsets.set('b', offsetOf(2))])
    await offsets.set('a', offsetOf(3))
    const other = sinkOffsets(path)
    assert.deepEqual([await other.get('a'), await other.get('b')], [offsetOf(3), offsetOf(2)])
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.equal(existsSync(`${path}.${process.pid}`), false)
  })

  test('that were broken begin again; a failure leaves no draft, and the next is written', async () => {
    for (const content of ['{', 'null', '5']) {
      const path = newPath(content)
      assert.equal(await sinkOffsets(path).get('a'), null)
      await sinkOffsets(path).set('a', offsetOf(1))
      assert.deepEqual(await sinkOffsets(path).get('a'), offsetOf(1))
    }
    const folder = newPath()
    const offsets = sinkOffsets(join(folder, 'x'))
    await assert.rejects(offsets.set('a', offsetOf(1)))
    mkdirSync(folder)
    await offsets.set('a', offsetOf(2))
    assert.deepEqual(await offsets.get('a'), offsetOf(2))
  })

  test('there is a sink for the file of checkpoints, and one for each setting', () => {
    const tls = {}
    const sinks = sinksOf(
      {
        checkpointsFile: '/c',
        sinks: [
          { kind: 'file', name: 'file:/f', path: '/f' },
          { kind: 'tcp', name: 'syslog+tcp://h:601', host: 'h', port: 601, tls },
        ],
      },
      { offsetsPath: newPath(), mayRepair: true },
    )
    assert.deepEqual(
      sinks.map(({ fromTheBeginning, name, takesRecords }) => [
        name,
        takesRecords,
        fromTheBeginning,
      ]),
      [
        ['file:/c', false, true],
        ['file:/f', true, false],
        ['syslog+tcp://h:601', true, false],
      ],
    )
  })
})
