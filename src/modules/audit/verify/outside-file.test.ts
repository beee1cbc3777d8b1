import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { linesOf, linesOutside } from './outside-file.ts'

suite('lines of the file outside', () => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  after(() => rmSync(directory, { recursive: true }))
  const path = join(directory, 'file.jsonl')
  const tooLong = '(a line that is too long)'

  async function linesIn(content: string, maxBytes?: number): Promise<string[]> {
    writeFileSync(path, content)
    return Array.fromAsync(linesOf(path, maxBytes))
  }

  for (const [content, lines] of [
    ['', []],
    ['a', ['a']],
    ['a\n', ['a']],
    ['\n', ['']],
    ['a\n\nb', ['a', '', 'b']],
    ['a\r\nb\rc\r\n\r\n', ['a', 'b\rc', '']],
    ['ä\né', ['ä', 'é']],
  ] as const) {
    test(`of ${JSON.stringify(content)}`, async () =>
      assert.deepEqual(await linesIn(content), lines))
  }

  test('can cross the blocks of a stream', async () => {
    const lines = Array.from({ length: 40 }, (_, at) => `${at} `.repeat(1999 + 40 * at))
    assert.deepEqual(await linesIn(lines.join('\n')), lines)
    const long = 'ä'.repeat(150_001)
    assert.deepEqual(await linesIn(`a\n${long}\nb`), ['a', long, 'b'])
  })

  test('that are too long are replaced, and no other', async () => {
    assert.deepEqual(await linesIn('1234\n12345\n1\n12345', 4), ['1234', tooLong, '1', tooLong])
    const long = 'x'.repeat(150_000)
    assert.deepEqual(await linesIn(`${long}\n1\n${long}`, 80_000), [tooLong, '1', tooLong])
    assert.deepEqual(await linesIn(`${long}\n${long}y`, 150_000), [long, tooLong])
  })

  test('end where the file ended at the call', async () => {
    writeFileSync(path, 'a\nb')
    const lines = linesOf(path)
    appendFileSync(path, 'c\nd')
    assert.deepEqual(await Array.fromAsync(lines), ['a', 'b'])
    writeFileSync(path, '')
    const none = linesOf(path)
    appendFileSync(path, 'c')
    assert.deepEqual(await Array.fromAsync(none), [])
  })

  test('of no file are null, or an error of the call', async () => {
    assert.equal(linesOutside(null), null)
    writeFileSync(path, 'a')
    assert.deepEqual(await Array.fromAsync(linesOutside(path) ?? []), ['a'])
    assert.throws(() => linesOf(join(directory, 'missing')), { code: 'ENOENT' })
  })
})
