import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { chunkBytes, decryptedChunks, encryptedChunks } from '../../src/extras/backup/chunks.ts'
import { testApp } from '../app.ts'
import { backup, restore } from '../backups.ts'
import { backupOf, folder, ofVersion1, place, restoring, rowsOf, withDigest } from '../copies.ts'
import { seedUsers } from '../users.ts'

const lastLineOf = (whole: Buffer) => whole.lastIndexOf('\n{"sha256"') + 1
const macIn = (whole: Buffer) => /"mac":"([0-9a-f]+)"/.exec(whole.toString('latin1'))?.[1]

suite('a backup of format 2, all encrypted', async () => {
  const app = await testApp()
  // Random names, so that the compressed body has several chunks.
  await seedUsers(app, 3000, (index) => ({
    name: `Zoë ${randomBytes(60).toString('base64url')}`,
    email: `harbour${index}@example.org`,
  }))
  const path = await backupOf(app)
  const whole = readFileSync(path)
  const header = JSON.parse(whole.subarray(0, whole.indexOf('\n')).toString())
  const body = whole.subarray(whole.indexOf('\n') + 1, lastLineOf(whole) - 1)
  const sealedBytes = chunkBytes + 16
  const target = await place()
  const file = join(folder(), 'changed')

  /** The parts as a file whose digest is right, with the code of the original. */
  const forged = (changes: object, chunks: Uint8Array, mac = macIn(whole)) =>
    withDigest(
      Buffer.concat([
        Buffer.from(`${JSON.stringify({ ...header, ...changes })}\n`),
        chunks,
        Buffer.from('\n'),
      ]),
      () => mac,
    )

  async function refuse(bytes: Uint8Array, reason: RegExp, what: string) {
    writeFileSync(file, bytes)
    for (const withoutKeys of [false, true]) {
      const options = { ...restoring, withoutKeys }
      await assert.rejects(restore(target.deps, file, options), reason, what)
      assert.deepEqual(await target.tables(), [], what)
    }
    assert.equal(existsSync(join(target.directory, 'master.key')), false)
  }

  test('tells nothing but its format and its salt', async () => {
    assert.deepEqual(Object.keys(header), ['format', 'version', 'salt', 'sealed'])
    assert.equal(header.version, 2)
    assert.ok(body.length > 2 * sealedBytes, 'several chunks')
    for (const text of ['Zoë', 'harbour1', 'admin', 'users', 'created_at', 'counts', '$argon2id']) {
      assert.ok(!whole.includes(text), text)
    }
    assert.equal(whole.indexOf(gzipSync('').subarray(0, 8)), -1, 'no gzip in the open')
  })

  test('made twice of the same rows has another salt, and no chunk in common', async () => {
    const other = readFileSync(await backupOf(app))
    const start = whole.indexOf('\n') + 1
    assert.notDeepEqual(
      other.subarray(start, start + 64),
      whole.subarray(start, start + 64),
      'under another key',
    )
  })

  test('is restored with every row', async () => {
    const { deps } = await place()
    const { counts } = await restore(deps, path, { ...restoring, keepLogins: true })
    assert.equal(counts.get('users'), 3001)
    const [before, after] = [await rowsOf(app), await rowsOf({ deps })]
    assert.deepEqual(after.users, before.users)
    assert.deepEqual(after.passwords, before.passwords)
  })

  test('whose chunks are swapped, repeated, missing, added or cut off is refused, with a right digest', async () => {
    const [first, second] = [
      body.subarray(0, sealedBytes),
      body.subarray(sealedBytes, 2 * sealedBytes),
    ]
    const rest = body.subarray(2 * sealedBytes)
    const wrong: Record<string, Uint8Array[]> = {
      swapped: [second, first, rest],
      repeated: [first, first, second, rest],
      'one missing': [first, rest],
      'the last missing': [body.subarray(0, Math.floor(body.length / sealedBytes) * sealedBytes)],
      'cut off': [body.subarray(0, -1)],
      'a byte added': [body, Buffer.from([0])],
      'a chunk added': [body, first],
      nothing: [],
    }
    for (const [what, parts] of Object.entries(wrong)) {
      await refuse(forged({}, Buffer.concat(parts)), /was changed without/, what)
    }
    await refuse(forged({}, body, 'a'.repeat(64)), /was changed without/, 'another code')
    await refuse(withDigest(whole.subarray(0, lastLineOf(whole))), /was changed without/, 'no code')
    await refuse(Buffer.concat([whole, Buffer.from('\n')]), /is damaged/, 'bytes behind it')
    await refuse(Buffer.concat([whole, whole]), /is damaged/, 'twice')
  })

  test('whose header is changed is refused', async () => {
    await refuse(
      forged({ salt: 'AAAAAAAAAAAAAAAAAAAAAA' }, body),
      /the passphrase is wrong/,
      'salt',
    )
    const sealed = `${header.sealed.slice(0, -4)}AAAA`
    await refuse(forged({ sealed }, body), /the passphrase is wrong/, 'sealed')
    await refuse(forged({ more: 1 }, body), /was changed without/, 'a field more')
    await refuse(forged({ version: 1 }, body), /has no keys|wrong/, 'version 1')
    await refuse(forged({ version: 3 }, body), /of format 3: use a newer Gatehouse/, 'version 3')
    const other = await testApp({}, { seed: 2 })
    const theirs = readFileSync(
      await backupOf(other, { passphrase: 'pickle thunder avenue marble fidget crouton' }),
    )
    await refuse(theirs, /the passphrase is wrong/, 'of another passphrase')
    const { salt, sealed: ofTheirs } = JSON.parse(theirs.toString('latin1').split('\n', 1)[0] ?? '')
    await refuse(
      forged({ salt, sealed: ofTheirs }, body),
      /the passphrase is wrong/,
      'their header',
    )
  })

  test('opens with its passphrase alone, --unverified or not', async () => {
    const wrong = { ...restoring, passphrase: async () => 'lamps harbour velvet tuba ocelot' }
    await assert.rejects(restore(target.deps, path, wrong), /the passphrase is wrong/)
    const lost = { ...restoring, withoutKeys: true, unverified: true }
    await assert.rejects(
      restore(target.deps, path, lost),
      /encrypted as a whole: without its passphrase/,
    )
    assert.deepEqual(await target.tables(), [])
  })
})

suite('chunks', () => {
  const key = randomBytes(32)
  const sealedBytes = chunkBytes + 16
  const [none, one, many] = [0, chunkBytes, 3 * chunkBytes + 5].map((length) => randomBytes(length))

  async function* inParts(bytes: Uint8Array, length = 1000): AsyncGenerator<Uint8Array> {
    for (let start = 0; start < bytes.length; start += length) {
      yield bytes.subarray(start, start + length)
    }
  }
  const read = async (stream: AsyncIterable<Uint8Array>) =>
    Buffer.concat(await Array.fromAsync(stream))
  const seal = (plain: Uint8Array) => read(encryptedChunks(key, 'header', inParts(plain)))
  const open = (sealed: Uint8Array, length?: number, associated = 'header') =>
    read(decryptedChunks(key, associated, inParts(sealed, length)))

  test('of every length open again, in whatever parts they are read', async () => {
    const lengths = [0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 2 * chunkBytes, 200_000]
    for (const length of lengths) {
      const plain = randomBytes(length)
      const sealed = await seal(plain)
      assert.equal(sealed.length, length + 16 * Math.max(1, Math.ceil(length / chunkBytes)))
      for (const parts of [7919, chunkBytes, sealedBytes, 1_000_000]) {
        assert.deepEqual(await open(sealed, parts), plain, `${length} bytes`)
      }
    }
  })

  test('open nowhere else, and yield no byte of a changed chunk', async () => {
    const sealed = await seal(many ?? Buffer.alloc(0))
    const at = (index: number) => sealed.subarray(index * sealedBytes, (index + 1) * sealedBytes)
    const short = await seal(one ?? Buffer.alloc(0))
    const wrong: Record<string, readonly Uint8Array[]> = {
      swapped: [at(1), at(0), at(2), at(3)],
      'cut off between chunks': [at(0), at(1), at(2)],
      'cut off in a chunk': [sealed.subarray(0, -3)],
      'the last alone': [at(3)],
      'without the first': [at(1), at(2), at(3)],
      'another end': [at(0), short],
      'more behind the end': [sealed, at(3)],
      'a byte behind the end': [sealed, Buffer.from([1])],
      'less than a tag': [sealed.subarray(0, 15)],
      nothing: [],
    }
    for (const [what, parts] of Object.entries(wrong)) {
      await assert.rejects(open(Buffer.concat(parts)), /a part of it does not open/, what)
    }
    await assert.rejects(open(sealed, 1000, 'another header'), /does not open/)
    assert.deepEqual(await open(await seal(none ?? Buffer.alloc(0))), Buffer.alloc(0))
    const yielded: Uint8Array[] = []
    const changed = Buffer.from(sealed)
    changed.writeUInt8(changed.readUInt8(sealedBytes + 5) ^ 1, sealedBytes + 5)
    await assert.rejects(async () => {
      for await (const bytes of decryptedChunks(key, 'header', inParts(changed)))
        yielded.push(bytes)
    })
    assert.deepEqual(Buffer.concat(yielded), many?.subarray(0, chunkBytes), 'the first alone')
  })
})

suite('backups of version 0.7.0, in format 1', async () => {
  test('are restored, with their keys and their audit log', async () => {
    const { deps } = await place()
    const { counts, createdAt } = await restore(deps, ofVersion1.path, restoring)
    assert.deepEqual([counts.get('accounts'), createdAt], [1, '2026-11-22T23:03:32.151Z'])
    const { audit_records = [], accounts = [] } = await rowsOf({ deps })
    assert.deepEqual(
      accounts.map(({ username }) => username),
      ['admin'],
    )
    assert.deepEqual(
      audit_records.map(({ type }) => type),
      ['user_created', 'sys_startup', 'backup_restored'],
    )
  })

  test('without keys, or whose passphrase is lost, are restored --without-keys --unverified', async () => {
    for (const path of [ofVersion1.withoutKeys, ofVersion1.path]) {
      const { deps } = await place()
      const options = { ...restoring, withoutKeys: true, unverified: true }
      const { counts } = await restore(deps, path, options)
      assert.equal(counts.get('accounts'), 1)
    }
  })

  const whole = readFileSync(ofVersion1.path)
  const header = JSON.parse(whole.subarray(0, whole.indexOf('\n')).toString())
  const bare = { ...restoring, withoutKeys: true }
  const file = join(folder(), 'changed')

  test('with a right digest but made without the passphrase are refused', async () => {
    const target = await place()
    const others = readFileSync(ofVersion1.withoutKeys)
    const bodyOf = (bytes: Buffer) =>
      bytes.subarray(bytes.indexOf('\n') + 1, bytes.lastIndexOf('\n{"sha256"') + 1)
    const forged = (changes: object, mac?: string) =>
      withDigest(
        Buffer.concat([
          Buffer.from(`${JSON.stringify({ ...header, ...changes })}\n`),
          bodyOf(others),
        ]),
        () => mac,
      )
    const refuse = async (bytes: Uint8Array, reason: RegExp, options = restoring) => {
      writeFileSync(file, bytes)
      await assert.rejects(restore(target.deps, file, options), reason)
      assert.deepEqual(await target.tables(), [])
    }
    await refuse(forged({}), /was changed/)
    await refuse(forged({}, 'a'.repeat(64)), /was changed/)
    await refuse(forged({ keys: null }), /has no keys: .*--without-keys/)
    const counts = { ...header.counts, sqlite_master: 1 }
    await refuse(forged({ keys: null, counts }), /has no keys: .*--unverified/, bare)
    const trusting = { ...bare, unverified: true }
    await refuse(forged({ keys: null, counts }), /does not know: sqlite_master/, trusting)
  })

  test('--without-keys: the passphrase authenticates the file all the same, unless --unverified', async () => {
    const { deps, tables } = await place()
    const at = whole.indexOf('"created_at":"') + '"created_at":"'.length
    const changed = Buffer.from(whole.subarray(0, lastLineOf(whole)))
    changed.write('1999', at)
    for (const mac of [undefined, macIn(whole)]) {
      writeFileSync(
        file,
        withDigest(changed, () => mac),
      )
      await assert.rejects(restore(deps, file, bare), /was changed without/)
    }
    assert.deepEqual(await tables(), [])
    const { createdAt } = await restore(deps, file, { ...bare, unverified: true })
    assert.ok(createdAt.startsWith('1999'))
  })
})

suite('restore --without-keys', async () => {
  const app = await testApp()

  test('leaves the keys behind and what needs them, and still wants the passphrase', async () => {
    const path = await backupOf(app)
    const another = await place()
    const restored = await restore(another.deps, path, { ...restoring, withoutKeys: true })
    assert.ok((restored.counts.get('users') ?? 0) > 0)
    const kept = await another.deps.db
      .selectFrom('keys')
      .select(['usage', 'algorithm'])
      .orderBy('usage')
      .execute()
    const news = [
      { usage: 'data', algorithm: 'A256GCM' }, // which the record of the restore needs
      { usage: 'signing', algorithm: 'HS256' },
    ]
    assert.deepEqual(kept, news, 'new ones, as before')
    const { audit_records } = await rowsOf(another)
    assert.deepEqual(
      audit_records?.map((record) => record.type),
      ['backup_restored'],
      'nothing of the old one could be opened or verified',
    )
  })

  test('a backup without a passphrase stays in the open, in format 1, for any version', async () => {
    const { deps } = await place({}, app.directory)
    const path = join(folder(), 'open')
    await backup(deps, path, { passphrase: undefined })
    const [first = ''] = readFileSync(path, 'latin1').split('\n', 1)
    const { version, keys } = JSON.parse(first)
    assert.deepEqual([version, keys], [1, null])
  })
})
