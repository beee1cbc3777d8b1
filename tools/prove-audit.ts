import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../src/core/config/load.ts'
import { migrate } from '../src/core/database/migrate.ts'
import { systemClock } from '../src/core/lib/clock.ts'
import { settingsOfModules } from '../src/core/module/settings.ts'
import { createLog, type Deps, systemDeps } from '../src/core/runtime/deps.ts'
import { createAudit } from '../src/modules/audit/audit.ts'
import { loadKeySet } from '../src/modules/keys/key-set.ts'
import { modules } from '../src/modules.ts'
import { auditAttacks } from '../test/audit-attacks.ts'
import {
  copyAudit,
  otherProcess,
  proofOf,
  recordEvents,
  replaceAudit,
  verified,
} from '../test/audit-log.ts'
import { startCluster } from '../test/faults/cluster.ts'

/**
 * Proves on both databases that every attack on the audit log by an attacker who can write the database
 * is noticed and the right record named, and that as many records as are asked for are verified in
 * less than five seconds of processor time. `npm run prove:audit`, `npm run prove:audit -- 20000`
 */
const records = Number(process.argv[2] ?? 100_000)
const maxCpuSeconds = 5
const maxPeakMegabytes = 400
const told = `process.on('exit',()=>{const {userCPUTime:u,systemCPUTime:s,maxRSS:m}=process.resourceUsage();process.stderr.write('told '+(u+s)/1e6+' '+m)})`

const cluster = await startCluster()
try {
  await cluster.start()
  await prove('SQLite', async () => ({}))
  await prove('PostgreSQL', async () => ({
    DATABASE_URL: cluster.url(await cluster.createDatabase()),
    MASTER_KEY: randomBytes(32).toString('hex'),
  }))
} finally {
  await cluster.remove()
}
print('PASS')

type Env = Record<string, string>

async function prove(database: string, settings: () => Promise<Env>): Promise<void> {
  await withService(await settings(), (deps) => attackAll(database, deps))
  await withService(await settings(), (deps, env) => verifyMany(database, deps, env))
}

async function withService(env: Env, work: (deps: Deps, env: Env) => Promise<void>): Promise<void> {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  const all = { ...env, DATA_DIR }
  const deps = systemDeps(loadConfig(all, await settingsOfModules(modules)), {
    log: createLog('silent'),
  })
  try {
    await migrate(deps.db, systemClock, { modules })
    createAudit(deps)
    await loadKeySet(deps)
    await work(deps, all)
  } finally {
    await deps.db.destroy()
    rmSync(DATA_DIR, { recursive: true })
  }
}

/** Does each attack, asks what the verification says, and undoes it. */
async function attackAll(database: string, deps: Deps): Promise<void> {
  const { db, config } = deps
  const at = { now: systemClock.now() }
  const clock = { ...systemClock, now: () => at.now }
  const write = async (from: Deps, file: string) => {
    await recordEvents(from, 50, { together: 5 })
    at.now += 10_000
    const proof = await proofOf({ ...from, clock }, { checkpointsFile: file })
    await proof.run()
    await proof.sent()
  }
  const file = config.audit.checkpointsFile
  for (let checkpoint = 1; checkpoint <= 3; checkpoint += 1) await write(deps, file)
  const older = await copyAudit(db)
  await write(deps, file)
  const outside = readFileSync(file, 'utf8').trimEnd().split('\n')
  const whole = await copyAudit(db)
  const goOn = () => write(otherProcess(deps), join(config.database.dataDirectory, 'other.jsonl'))
  let noticed = 0
  for (const { name, apply, expected, number, needsOutside } of auditAttacks) {
    await apply({ db, older, goOn })
    const { first } = await verified(deps, outside)
    const alone = needsOutside ? (await verified(deps)).first : null
    await replaceAudit(db, whole)
    assert.ok(first && expected.includes(first.what), `${name}: ${JSON.stringify(first)}`)
    assert.ok(number === undefined || first.number === number, `${name}: ${JSON.stringify(first)}`)
    assert.equal(alone, null, `${name} needs a checkpoint outside`)
    noticed += 1
  }
  const { problems, checked } = await verified(deps, outside)
  assert.deepEqual(problems, [])
  print(
    `${database}: ${noticed} of ${auditAttacks.length} attacks noticed, on ${checked.records} records; none where nothing was done`,
  )
}

/** Verifies many records by the command of the operator. */
async function verifyMany(database: string, deps: Deps, env: Env): Promise<void> {
  const proof = await proofOf(deps)
  for (let done = 0; done < records; done += 1000) {
    await recordEvents(deps, Math.min(1000, records - done), { together: 100 })
    proof.recorded(1000, deps.clock.now())
    await proof.sent()
  }
  await proof.close()
  const { cpuSeconds, peakMegabytes, seconds, report } = await verifyByCommand(env)
  assert.equal(report.ok, true, JSON.stringify(report))
  assert.ok(report.checked.records >= records)
  assert.equal(report.uncovered.records, 0)
  const figures = `${cpuSeconds.toFixed(1)} s of the processor, ${seconds.toFixed(1)} s by the clock, peak ${peakMegabytes.toFixed(0)} MB`
  print(
    `${database}: ${report.checked.records} records, ${report.checked.checkpoints} checkpoints: ${figures}`,
  )
  assert.ok(cpuSeconds < maxCpuSeconds, `more than ${maxCpuSeconds} s`)
  assert.ok(peakMegabytes < maxPeakMegabytes, `more than ${maxPeakMegabytes} MB`)
}

async function verifyByCommand(env: Env) {
  const args = [
    `--import=data:text/javascript,${told}`,
    'src/cli/main.ts',
    'audit',
    'verify',
    '--json',
  ]
  const start = performance.now()
  const child = spawn(process.execPath, args, {
    cwd: join(import.meta.dirname, '..'),
    env: { ...process.env, ...env },
  })
  let [output, errors] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk
  })
  await new Promise((resolve) => child.on('close', resolve))
  const [, cpu, peak] = errors.match(/told (\S+) (\d+)$/) ?? []
  if (output === '' || cpu === undefined) throw new Error(errors)
  return {
    cpuSeconds: Number(cpu),
    peakMegabytes: Number(peak) / 1024,
    seconds: (performance.now() - start) / 1000,
    report: JSON.parse(output),
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
