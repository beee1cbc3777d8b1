import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { parseAuditSink } from '../../src/modules/audit/audit-sinks.ts'
import { createSinkFeed } from '../../src/modules/audit/outside/feed.ts'
import {
  checkpointOfLine,
  fileSink,
  maxLineBytes,
} from '../../src/modules/audit/outside/file-sink.ts'
import type { Item, Sink } from '../../src/modules/audit/outside/sink.ts'
import { syslogSink } from '../../src/modules/audit/outside/syslog-sink.ts'
import { linesOf as fileLinesOf } from '../../src/modules/audit/verify/outside-file.ts'
import { type TestApp, testApp } from '../app.ts'
import { canaries, proofOf, recordEvents, verified } from '../audit-log.ts'
import { certificate } from '../self-signed.ts'
import { syslogDatagrams, syslogStream } from '../syslog-server.ts'
import { until } from '../until.ts'

const quiet = { LOG_LEVEL: 'silent' }

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').slice(0, -1)
}

function numbersOf(lines: readonly string[]): (number | undefined)[] {
  return lines.map((line) => checkpointOfLine(line)?.number)
}

/** A proof with sinks of its own, in folders of its own: another node. */
async function nodeOf({ deps, directory }: TestApp, name: string, ...addresses: string[]) {
  const own = join(directory, name)
  const checkpointsFile = join(own, 'audit-checkpoints.jsonl')
  const sinks = addresses.map(parseAuditSink)
  const proof = await proofOf(deps, { checkpointsFile, sinks }, own)
  return { proof, file: checkpointsFile, folder: own }
}

suite('what leaves the service of the audit log', () => {
  test('checkpoints go to a file of this user alone, in a folder that is made, whole lines at its end', async () => {
    const service = await testApp(quiet)
    const { deps, clock } = service
    const { proof, file, folder } = await nodeOf(service, 'node')
    assert.equal(existsSync(folder), false)
    for (const expected of [[1], [1, 2]]) {
      await recordEvents(deps, 3)
      clock.advance(10)
      await proof.run()
      await proof.sent()
      assert.deepEqual(numbersOf(linesOf(file)), expected)
    }
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal(statSync(folder).mode & 0o777, 0o700)
    await proof.run()
    await proof.sent()
    assert.equal(linesOf(file).length, 2, 'nothing is new')
    assert.doesNotMatch(readFileSync(file, 'utf8'), /record"/)
  })

  test('what a kill has left of a last line is removed, and its checkpoint is written again', async () => {
    const service = await testApp(quiet)
    const { deps, clock } = service
    const { proof, file } = await nodeOf(service, 'node')
    for (let number = 1; number <= 2; number += 1) {
      await recordEvents(deps, 2)
      clock.advance(10)
      await proof.run()
      await proof.sent()
    }
    const [first = '', second = ''] = linesOf(file)
    writeFileSync(file, `${first}\n${second.slice(0, 90)}`)
    const again = await proofOf(deps, { checkpointsFile: file })
    await again.sent()
    assert.deepEqual(linesOf(file), [first, second])
    assert.deepEqual((await verified(deps, linesOf(file))).problems, [])
  })

  test('a file that was moved away is begun anew, where the old one ends', async () => {
    const service = await testApp(quiet)
    const { deps, clock } = service
    const { proof, file } = await nodeOf(service, 'node')
    await recordEvents(deps, 2)
    await proof.run()
    await proof.sent()
    renameSync(file, `${file}.old`)
    await recordEvents(deps, 2)
    clock.advance(10)
    await proof.run()
    await proof.sent()
    assert.deepEqual([numbersOf(linesOf(`${file}.old`)), numbersOf(linesOf(file))], [[1], [2]])
  })

  test('every node sends every checkpoint, which one of them writes', async () => {
    const service = await testApp(quiet)
    const { deps, clock } = service
    const [one, other] = [await nodeOf(service, 'one'), await nodeOf(service, 'other')]
    for (let round = 0; round < 2; round += 1) {
      await recordEvents(deps, 2)
      clock.advance(10)
      for (const { proof } of [one, other]) await proof.run()
      for (const { proof } of [one, other]) await proof.sent()
    }
    await recordEvents(deps, 2)
    clock.advance(10)
    for (const { proof } of [other, one]) await proof.run()
    for (const { proof } of [other, one]) await proof.sent()
    assert.deepEqual(numbersOf(linesOf(one.file)), [1, 2, 3])
    assert.deepEqual(linesOf(one.file), linesOf(other.file))
  })

  test('a checkpoint is at most as old as the setting, and is not made twice in half of it', async () => {
    const service = await testApp(quiet)
    const { deps, clock } = service
    const [one, other] = [await nodeOf(service, 'one'), await nodeOf(service, 'other')]
    assert.equal(one.proof.everyMs, 5000)
    await recordEvents(deps, 1)
    await one.proof.run()
    await recordEvents(deps, 1)
    clock.advance(4)
    await other.proof.run()
    assert.equal((await verified(deps)).checked.checkpoints, 1)
    clock.advance(5)
    await other.proof.run()
    assert.equal((await verified(deps)).checked.checkpoints, 2)
  })

  test('a thousand records are covered at once', async () => {
    const service = await testApp(quiet)
    const { deps } = service
    const { proof } = await nodeOf(service, 'node')
    await recordEvents(deps, 1)
    await proof.run()
    proof.recorded(999, deps.clock.now())
    assert.equal((await verified(deps)).checked.checkpoints, 1)
    await recordEvents(deps, 1)
    proof.recorded(1, deps.clock.now())
    await until(async () => (await verified(deps)).checked.checkpoints === 2)
  })

  test('a stop covers and sends the last records', async () => {
    const service = await testApp(quiet)
    const { deps, clock, directory } = service
    await recordEvents(deps, 3)
    const file = deps.config.audit.checkpointsFile
    await service.app.server.close()
    const again = await testApp(quiet, { directory, clock })
    const found = await verified(again.deps, linesOf(file))
    assert.deepEqual([found.problems, found.uncovered.records], [[], 0])
    assert.equal(found.checked.outside, 1)
  })

  test('no name, address or agent leaves the service', async () => {
    const service = await testApp(quiet)
    const { deps, directory } = service
    const server = await syslogStream()
    const records = join(directory, 'records.jsonl')
    const sinks = [`file:${records}`, `syslog+tcp://127.0.0.1:${server.port}`]
    const { proof } = await nodeOf(service, 'node', ...sinks)
    await recordEvents(deps, 20)
    await proof.run()
    await proof.sent()
    await server.close()
    const lines = linesOf(records)
    assert.ok(lines.length >= 21 && server.messages.length === lines.length)
    const sent = [...lines, ...server.messages].join('\n')
    for (const canary of Object.values(canaries)) assert.ok(!sent.includes(canary), canary)
    assert.doesNotMatch(sent, /sealed/)
    const persons = lines.flatMap((line) => JSON.parse(line).record?.actor ?? [])
    assert.ok(new Set(persons).size >= 5, 'each person has a pseudonym')
  })

  test('a sink that is away holds nothing up, tells its lag, and gets all of it later', async () => {
    const service = await testApp()
    const { deps, directory, clock } = service
    const folder = join(directory, 'mounted')
    const { proof } = await nodeOf(service, 'node', `file:${folder}/audit.jsonl`)
    const name = `file:${folder}/audit.jsonl`
    const lagOf = () => proof.lag().sinks.find((sink) => sink.name === name)?.unsentMs
    for (let number = 1; number <= 3; number += 1) {
      await recordEvents(deps, 2)
      await proof.run()
      await proof.sent()
      clock.advance(10)
    }
    assert.equal(lagOf(), 30_000)
    const told = service.log.filter(({ sink }) => sink === name)
    assert.equal(told.length, 1, 'an outage is told once')
    mkdirSync(folder)
    await proof.sent()
    assert.equal(lagOf(), 0)
    assert.deepEqual(
      numbersOf(linesOf(`${folder}/audit.jsonl`)).filter((number) => number !== undefined),
      [1, 2, 3],
    )
    assert.equal(service.log.filter(({ sink }) => sink === name).length, 2)
  })

  test('the age of the oldest record without a checkpoint is known', async () => {
    const service = await testApp(quiet)
    const { deps, clock } = service
    const { proof } = await nodeOf(service, 'node')
    assert.equal(proof.lag().uncoveredMs, 0)
    await recordEvents(deps, 1)
    proof.recorded(1, clock.now())
    clock.advance(7)
    proof.recorded(1, clock.now())
    assert.equal(proof.lag().uncoveredMs, 7000)
    await proof.run()
    assert.equal(proof.lag().uncoveredMs, 0)
  })

  test('a sink is sent what it lacks in bounded batches, from its place', async () => {
    const service = await testApp(quiet)
    const { deps, clock } = service
    const { proof } = await nodeOf(service, 'node')
    await recordEvents(deps, 1200, { together: 100 })
    await proof.run()
    await recordEvents(deps, 2)
    clock.advance(10)
    await proof.run()
    const batches: (readonly Item[])[] = []
    let isAway = true
    const sink: Sink = {
      name: 'a sink',
      takesRecords: true,
      fromTheBeginning: true,
      offset: async () => null,
      send: async (items) => {
        if (batches.length === 2 && isAway) throw new Error('away')
        batches.push(items)
      },
      arrived: async () => {},
    }
    const feed = createSinkFeed(sink, deps)
    await feed.run()
    assert.deepEqual(
      batches.map(({ length }) => length),
      [500, 500],
    )
    assert.ok(feed.waitingSince() !== null)
    isAway = false
    batches.length = 0
    await feed.run()
    assert.ok(batches.every(({ length }) => length <= 500))
    const items = batches.flat()
    const places = items.flatMap((item) => ('record' in item ? [item.record.number] : []))
    assert.ok(places.length >= 1202)
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
      'in their order, none left out',
    )
    assert.equal(new Set(places).size, places.length)
    assert.equal(feed.waitingSince(), null)
  })
})

suite('syslog servers', () => {
  const checkpoint = {
    ...{ number: 1, at: 0, previous: '', heads: '[]', records: 0, key_id: 'k', signature: 's' },
  }
  const items: readonly Item[] = [{ checkpoint }]
  const offsets = { get: async () => null, set: async () => {} }
  const sinkTo = (address: string) => {
    const parsed = parseAuditSink(address)
    assert.ok(parsed.kind !== 'file')
    return syslogSink({ address: parsed, offsets, silentMs: 300 })
  }

  test('a stream over TLS needs the right authority, name and certificate of the client', async () => {
    const service = await testApp(quiet)
    const authority = { commonName: 'test authority', isAuthority: true }
    const ca = certificate(authority)
    const issuer = { commonName: authority.commonName, key: ca.key }
    const pair = certificate({ commonName: 'syslog', hosts: ['127.0.0.1'], issuer })
    const client = certificate({ commonName: 'gatehouse', issuer })
    const file = (name: string, text: string) => {
      const path = join(service.directory, name)
      writeFileSync(path, text)
      return path
    }
    const server = await syslogStream({ tls: { ...pair, ca: ca.cert } })
    const trust = `ca=${file('ca.pem', ca.cert)}`
    const own = `cert=${file('cert.pem', client.cert)}&key=${file('key.pem', client.key)}`
    const address = `syslog+tls://127.0.0.1:${server.port}`
    await sinkTo(`${address}?${trust}&${own}`).send(items)
    assert.equal(server.messages.length, 1)
    await assert.rejects(sinkTo(`${address}?${own}`).send(items))
    await assert.rejects(sinkTo(`${address}?${trust}`).send(items))
    await assert.rejects(
      sinkTo(`syslog+tls://localhost:${server.port}?${trust}&${own}`).send(items),
    )
    assert.equal(server.messages.length, 1)
    await server.close()
  })

  test('a batch is delivered when the server has read to its end, and not before', async () => {
    const server = await syslogStream({
      instead(socket, index) {
        if (index === 0) socket.once('data', () => socket.resetAndDestroy())
        if (index === 1) socket.pause() // takes the connection, and reads nothing
        return index <= 1
      },
    })
    const sink = sinkTo(`syslog+tcp://127.0.0.1:${server.port}`)
    await assert.rejects(sink.send(items))
    await assert.rejects(sink.send(items), /silent|end/)
    await sink.send(items)
    assert.equal(server.messages.length, 1)
    await server.close()
    await assert.rejects(sink.send(items), /ECONNREFUSED/)
  })

  test('a server that is never silent and never reads to the end gets no batch for ever', async () => {
    const server = await syslogStream({
      instead(socket) {
        socket.pause()
        const greeting = setInterval(() => socket.write('.'), 5)
        socket.once('close', () => clearInterval(greeting))
        return true
      },
    })
    const address = parseAuditSink(`syslog+tcp://127.0.0.1:${server.port}`)
    assert.ok(address.kind !== 'file')
    await assert.rejects(syslogSink({ address, offsets, batchMs: 300 }).send(items), /too slow/)
    await server.close()
  })

  const hasIpv6 = Object.values(networkInterfaces())
    .flat()
    .some((one) => one?.address === '::1')
  for (const [family, address, host, isHere] of [
    ['IPv4', '127.0.0.1', '127.0.0.1', true],
    ['IPv6', '::1', '[::1]', hasIpv6],
  ] as const) {
    test(`datagrams are sent one for each message, by ${family}`, { skip: !isHere }, async () => {
      const server = await syslogDatagrams(address)
      const sink = sinkTo(`syslog://${host}:${server.port}`)
      await sink.send([...items, ...items])
      await until(() => server.messages.length === 2)
      assert.match(server.messages[0] ?? '', /^<109>1 1970-01-01T00:00:00\.000Z \S+ gatehouse /)
      await server.close()
      await assert.rejects(sink.send([...items, ...items]), /ECONNREFUSED/)
    })
  }

  test('a server that comes back gets the rest, and after a restart nothing twice', async () => {
    const service = await testApp(quiet)
    const { deps, clock } = service
    const first = await syslogStream()
    const address = `syslog+tcp://127.0.0.1:${first.port}`
    const { proof, file, folder } = await nodeOf(service, 'node', address)
    const write = async (by: typeof proof) => {
      await recordEvents(deps, 1)
      clock.advance(10)
      await by.run()
      await by.sent()
    }
    await write(proof)
    await first.close()
    await write(proof)
    assert.ok(proof.lag().sinks.some(({ name, unsentMs }) => name === address && unsentMs >= 0))
    const second = await syslogStream({ port: first.port })
    const audit = { checkpointsFile: file, sinks: [parseAuditSink(address)] }
    const restarted = await proofOf(deps, audit, folder)
    await write(restarted)
    await setImmediate()
    assert.deepEqual(numbersOf(first.messages).filter(Boolean), [1])
    assert.deepEqual(numbersOf(second.messages).filter(Boolean), [2, 3])
    await second.close()
  })
})

test('a pipe in the place of the file is refused, and holds up nothing', async () => {
  const { directory } = await testApp(quiet)
  const path = join(directory, 'pipe')
  execFileSync('mkfifo', [path])
  const sink = fileSink({ name: 'pipe', path, takesRecords: false, mayRepair: true })
  await assert.rejects(sink.offset(), { message: `${path} is no file` })
  await assert.rejects(sink.send([]), { message: `${path} is no file` })
})

test('a line without an end fills no memory: the sink and the verification pass over it', async () => {
  const { directory } = await testApp(quiet)
  const path = join(directory, 'long.jsonl')
  const checkpoint = {
    ...{ number: 7, at: 5, previous: 'p', heads: '[]' },
    ...{ records: 0, key_id: 'k', signature: 's' },
  }
  const line = `${JSON.stringify({ checkpoint })}\n`
  writeFileSync(path, line)
  const half = Buffer.alloc(maxLineBytes / 2 + 1, 'x')
  appendFileSync(path, half)
  appendFileSync(path, half)
  const options = { name: 'long', path, takesRecords: false, mayRepair: true }
  appendFileSync(path, '\n')
  const sink = fileSink(options)
  assert.equal((await sink.offset())?.number, 7)
  const lines = await Array.fromAsync(fileLinesOf(path))
  assert.deepEqual(
    lines.map((text) => text.length < 1000),
    [true, true],
  )
  assert.equal(checkpointOfLine(lines[0] ?? '')?.number, 7)
  appendFileSync(path, line.replace('7', '8'))
  assert.equal((await sink.offset())?.number, 8)
})

test('lines of a file are as they are, however the reads divide them', async () => {
  const { directory } = await testApp(quiet)
  const path = join(directory, 'lines')
  const long = 'ü'.repeat(50_000)
  writeFileSync(path, `one\r\n\n${long}\n${'x'.repeat(200_001)}\nlast`)
  assert.deepEqual(await Array.fromAsync(fileLinesOf(path, 200_000)), [
    ...['one', '', long, '(a line that is too long)', 'last'],
  ])
})

test('a line of the file outside that was changed is told, and its other lines still count', async () => {
  const service = await testApp(quiet)
  const { deps, clock } = service
  const { proof, file } = await nodeOf(service, 'node')
  for (let number = 1; number <= 3; number += 1) {
    await recordEvents(deps, 1)
    clock.advance(10)
    await proof.run()
  }
  await proof.sent()
  appendFileSync(file, 'a broken line\n')
  const lines = linesOf(file)
  const changed = lines.map((line, index) =>
    index === 1 ? line.replace('"records":', '"records":1') : line,
  )
  const found = await verified(deps, changed)
  assert.equal(found.first?.what, 'outside')
  assert.match(found.first?.detail ?? '', /^line 2 of the file outside is not signed/)
  assert.equal(found.problemCount, 1)
  assert.equal(found.lastOutside?.number, 3)
})
