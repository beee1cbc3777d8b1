import { join } from 'node:path'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { type RestartableCluster, startCluster } from '../../test/faults/cluster.ts'
import { vectors } from '../../test/vectors.ts'
import { keepFilesInMemory } from '../../tools/test-folder.ts'
import { type Counts, type Found, newCounts, runChunk } from '../fuzz/chunk.ts'
import type { Described } from '../fuzz/described.ts'
import { type FuzzedOperation, operationsOf } from '../fuzz/operations.ts'
import { startProcess } from '../fuzz/process-service.ts'
import { figuresOf, unmetOf } from '../fuzz/report.ts'
import { requestsTo } from '../fuzz/requests.ts'
import { causeOf, shrink } from '../fuzz/shrink.ts'
import { print } from '../growth/table.ts'

/**
 * Sends requests made from the OpenAPI document, right ones and hostile ones, to the service on both
 * databases, and looks for what must not be (lab/fuzz/checks.ts). Exits with 1 if it found anything.
 * `npm run prove -- fuzz [--seed n] [--requests n] [--database sqlite|postgresql] [--only place]
 * [--minutes n] [--self-test]`
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    requests: { type: 'string', default: '100000' },
    chunk: { type: 'string', default: '2500' },
    lanes: { type: 'string', default: '8' },
    database: { type: 'string' },
    only: { type: 'string' },
    minutes: { type: 'string', default: 'Infinity' },
    'self-test': { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed ?? Math.floor(Math.random() * 200_000))
const isSelfTest = values['self-test']
const hangMs = isSelfTest ? 1_000 : 5_000
const maxCauses = 8
const maxChunks = 10_000
const module = isSelfTest ? join(import.meta.dirname, '../fuzz/planted-module.ts') : undefined
const given = values.database
const databases = given ? [given] : isSelfTest ? ['sqlite'] : ['sqlite', 'postgresql']

interface Corpus {
  readonly cases: readonly { readonly base64: string }[]
}
const corpus = vectors<Corpus>('json-test-suite/parsing-cases.json')?.cases ?? []
// The longest of them are sent in full by test/attacks/json.test.ts.
const bodies = corpus.map(({ base64 }) => base64).filter((text) => text.length < 30_000)

keepFilesInMemory()
const causes = new Set<string>()
let cluster = null as RestartableCluster | null
try {
  for (const database of databases) await prove(database)
} finally {
  await cluster?.remove()
}
const failed = isSelfTest ? missedPlants() : [...causes]
print(failed.length === 0 ? '\nPASS' : `\nFAIL:\n${failed.join('\n')}`)
process.exit(failed.length === 0 ? 0 : 1)

async function prove(database: string): Promise<void> {
  if (database === 'postgresql') {
    cluster ??= await startCluster({
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
    })
    await cluster.start()
  }
  const start = () => startProcess({ cluster: database === 'postgresql' ? cluster : null, module })
  const first = await start()
  const { document } = first
  await first.close()
  const operations = operationsOf(document)
  const byName = new Map(operations.map((operation) => [operation.name, operation]))
  const arbitrary = requestsTo(isSelfTest ? planted(operations) : operations, bodies)
  const counts = newCounts()
  const total = isSelfTest ? 120 : Math.ceil(Number(values.requests) / databases.length)
  const size = Number(values.chunk)
  const startedAt = performance.now()
  print(`\n${database}, seed ${seed}: ${total} requests to ${operations.length} operations`)

  const run = async (
    requests: readonly Described[],
    chunkSeed: number,
    into: Counts,
    isBrief: boolean,
  ) => {
    const service = await start()
    try {
      const lanes = isBrief && requests.length === 1 ? 1 : Number(values.lanes)
      return await runChunk(service, requests, {
        seed: chunkSeed,
        operations: byName,
        counts: into,
        hangMs,
        lanes,
      })
    } finally {
      await service.close()
    }
  }

  const [chunkOnly, ...steps] = (values.only ?? '').split(':')
  if (values.only !== undefined) {
    const chunkSeed = seedOf(Number(chunkOnly))
    const path = steps.join(':')
    const requests = fc.sample(arbitrary, {
      seed: chunkSeed,
      numRuns: path === '' ? size : 1,
      ...(path && { path }),
    })
    for (const found of await run(requests, chunkSeed, counts, false)) {
      causes.add(causeOf(found))
      print(`${found.kind}: ${found.text}\n  ${found.sent}`)
    }
    return
  }

  for (let chunk = 0; counts.requests < total; chunk += 1) {
    const chunkSeed = seedOf(chunk)
    const numRuns = Math.min(size, total - counts.requests)
    const requests = fc.sample(arbitrary, { seed: chunkSeed, numRuns })
    const all = await run(requests, chunkSeed, counts, false)
    for (const found of all) {
      const cause = causeOf(found)
      if (causes.has(cause)) continue
      causes.add(cause)
      if (causes.size > maxCauses) continue
      const replay = (some: readonly Described[]) => run(some, chunkSeed, newCounts(), true)
      const shrunk = await shrink(found, requests, { arbitrary, seed: chunkSeed, replay })
      tell(found, chunk, shrunk, database)
    }
    const seconds = (performance.now() - startedAt) / 1000
    print(`  ${counts.requests} requests, ${seconds.toFixed(0)} s, findings: ${causes.size}`)
    if (causes.size > maxCauses || seconds > 60 * Number(values.minutes)) break
  }
  const rows = figuresOf(counts, document, (performance.now() - startedAt) / 1000)
  print(
    `\n| ${database} | |\n|---|---|\n${rows.map(([name, value]) => `| ${name} | ${value} |`).join('\n')}`,
  )
  print(`| findings | ${causes.size} |`)
  const unmet = unmetOf(counts, document)
  print(`\nnot met: ${unmet.join('; ') || 'nothing'}`)
}

function tell(
  found: Found,
  chunk: number,
  { requests, found: again, path }: Awaited<ReturnType<typeof shrink>>,
  database: string,
): void {
  const { kind, text, sent } = again ?? found
  print(`\nFOUND ${kind}: ${text}`)
  if (requests.length === 0) print('  a fresh service does not show it again')
  print(`  ${again?.sent || sent || found.sent}`)
  for (const one of requests.length > 1 ? requests.slice(0, 20) : [])
    print(`  ${JSON.stringify(one)}`)
  const place = path === null ? `${chunk}` : `${chunk}:${path}`
  print(`  again: npm run prove -- fuzz --database ${database} --seed ${seed} --only ${place}\n`)
}

function seedOf(chunk: number): number {
  return (seed * maxChunks + chunk) | 0
}

function planted(operations: readonly FuzzedOperation[]): FuzzedOperation[] {
  return operations.filter(({ path }) => path.startsWith('/planted/'))
}

/** What the planted faults must lead to, each found in a way of its own. */
function missedPlants(): string[] {
  const expected = {
    'a 500': /^status POST \/planted\/failure 500/,
    'an undocumented status': /^document GET \/planted\/status 418/,
    'a password in the log': /^secret in the log/,
    'a hang': /^wire no end after/,
  }
  return Object.entries(expected)
    .filter(([, format]) => ![...causes].some((cause) => format.test(cause)))
    .map(([name]) => `not found: ${name}`)
}
