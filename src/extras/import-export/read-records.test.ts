import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type ReadRecord, readRecords } from './read-records.ts'

async function* inBytes(text: string): AsyncGenerator<Uint8Array> {
  for (const byte of Buffer.from(text)) yield Uint8Array.of(byte)
}

async function readInBytes(text: string): Promise<ReadRecord[]> {
  const options = { otherwise: 'json', required: ['username'], onIgnored: () => {} } as const
  const read: ReadRecord[] = []
  for await (const records of readRecords(inBytes(text), options)) read.push(...records)
  return read
}

suite('a file that arrives byte by byte', () => {
  for (const [what, text, line] of [
    ['a table', '\ufeff \r\n\nusername\nann\n', 4],
    ['JSON Lines', '\ufeff\n{"username":"ann"}\n', 2],
    ['an array', '\n[{"username":"ann"}]\n', 1],
  ] as const) {
    test(`${what} is read as in one piece`, async () => {
      assert.deepEqual(await readInBytes(text), [{ line, value: { username: 'ann' } }])
    })
  }
  for (const text of ['', '\ufeff', '\n', ' \r\n\t']) {
    test(`nothing is in ${JSON.stringify(text)}`, async () => {
      assert.deepEqual(await readInBytes(text), [])
    })
  }

  test('a long first line is copied a few times, not once for each piece', async () => {
    const { concat } = Buffer
    const length = 65_000
    let copied = 0
    try {
      Buffer.concat = (parts, total) => {
        const joined = concat(parts, total)
        copied += joined.length
        return joined
      }
      const fault = { line: 1, details: [{ path: [], message: 'is no JSON' }] }
      assert.deepEqual(await readInBytes('a'.repeat(length)), [fault])
    } finally {
      Buffer.concat = concat
    }
    assert.ok(copied >= length && copied <= 4 * length, `${copied} bytes`)
  })
})
