import { randomBytes, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { connect } from 'node:tls'
import { startCluster } from '../../test/faults/cluster.ts'
import { type Certificate, certificate } from '../../test/self-signed.ts'
import { type Load, startLoad } from '../drill/load.ts'
import { admin, type DrillNode, gatehouse, startNode, until } from '../drill/node.ts'
import { goal, missedGoals, print, verdict } from '../growth/table.ts'

/**
 * Changes what an operator changes while callers log in, read and write: the master key, the signing keys, the
 * certificate, the level of the log; on two nodes with PostgreSQL, and on SQLite, with two workers each.
 * A request that fails is a failed proof. `npm run prove -- master-key-rotation [seconds of load in each phase]`
 */
const seconds = Number(process.argv[2] ?? 10)
const lanes = 6
const newKey = () => randomBytes(32).toString('hex')
const keep = (file: string, text: string) => {
  writeFileSync(`${file}.draft`, text, { mode: 0o600 })
  renameSync(`${file}.draft`, file)
}

await prove('PostgreSQL, two nodes of two workers', 2)
await prove('SQLite, one node of two workers', 1)
print(verdict())
process.exit(missedGoals() === 0 ? 0 : 1)

async function prove(name: string, count: number): Promise<void> {
  print(name)
  const cluster = count > 1 ? await startCluster() : undefined
  const database = cluster ? { DATABASE_URL: cluster.url(await cluster.createDatabase()) } : {}
  const files = mkdtempSync(join(tmpdir(), 'gatehouse-rotation-'))
  const tls = tlsFiles(files)
  const key = newKey()
  const nodes: DrillNode[] = []
  const envs: Record<string, string>[] = []
  try {
    for (let index = 0; index < count; index += 1) {
      const file = join(files, `master-${index}`)
      keep(file, key)
      const env = {
        ...{ ...database, ...tls.env, WORKERS: '2' },
        ...(cluster && { MASTER_KEY_FILE: file }),
      }
      const node = await startNode(`node ${index + 1}`, env)
      nodes.push(node)
      envs.push({ ...env, DATA_DIR: node.directory })
    }
    const [own = ''] = nodes.map(({ directory }) => join(directory, 'master.key'))
    const first = cluster ? key : readFileSync(own, 'utf8')
    if (!(await opensWith(first, envs[0] ?? {}, files)))
      goal('keys that open before the turn', 1, 0)
    const load = await startLoad({ targets: nodes, lanes, admin, ca: tls.authority })
    await rotateAll({ load, nodes, envs, files: cluster ? files : null, tls })
    await load.stop()
    for (const figures of load.figures()) {
      const { phase, requests, failed, p50Ms, p99Ms } = figures
      print(`  ${phase}: ${requests} requests, ${failed} failed, p50 ${p50Ms} ms, p99 ${p99Ms} ms`)
    }
    for (const failure of load.failures.slice(0, 20)) print(`    ${JSON.stringify(failure)}`)
    goal('failed requests', load.failures.length, 0)
    const [env = {}] = envs
    const { ok, checked } = JSON.parse(await gatehouse(['audit', 'verify', '--json'], env))
    print(`  audit verify: ${checked.records} records, ${checked.checkpoints} checkpoints`)
    goal('problems of the audit log', ok ? 0 : 1, 0)
    goal('old master keys that open', (await opensWith(first, env, files)) ? 1 : 0, 0)
  } finally {
    for (const { service } of nodes) await service.stop()
    for (const { service } of nodes) service.remove()
    await cluster?.remove()
    rmSync(files, { recursive: true, force: true })
  }
}

interface Rotating {
  readonly load: Load
  readonly nodes: readonly DrillNode[]
  readonly envs: readonly Record<string, string>[]
  /** The folder of the master keys; null: the service has one of its own. */
  readonly files: string | null
  readonly tls: ReturnType<typeof tlsFiles>
}

async function rotateAll({ load, nodes, envs, files, tls }: Rotating): Promise<void> {
  const [env = {}] = envs
  const during = async (phase: string, work: () => Promise<void> | void) => {
    load.phase(phase)
    await setTimeout(1000 * (seconds / 2))
    await work()
    await setTimeout(1000 * (seconds / 2))
  }
  await during('nothing turned', () => {})
  await during('master key', async () => {
    const next = newKey()
    const own = nodes.map((_, index) => join(files ?? '', `master-${index}`))
    if (files) for (const file of own) keep(`${file}.next`, next)
    const words = ['keys', 'rotate-master', '--json', '--processes', String(2 * nodes.length)]
    const { state, processes } = JSON.parse(await gatehouse(words, env))
    print(`  ${state}; ${processes.length} processes knew the next key`)
    await setTimeout(1500)
    if (files) for (const file of own) renameSync(`${file}.next`, file)
  })
  await during('signing keys', async () => {
    await gatehouse(['keys', 'rotate', '--now'], env)
    await gatehouse(['keys', 'rotate', '--refresh', '--now'], env)
  })
  await during('certificate', async () => {
    const fingerprint = tls.renew()
    if (nodes.length > 1) for (const { service } of nodes) service.process.kill('SIGHUP')
    await until('the renewed certificate', async () => {
      const shown = await Promise.all(nodes.flatMap((node) => [1, 2, 3].map(() => presented(node))))
      return shown.every((each) => each === fingerprint)
    })
  })
  await during('level of the log', async () => {
    for (const { service } of nodes) service.process.kill('SIGUSR2')
    await setTimeout(2000)
    for (const { service } of nodes) service.process.kill('SIGUSR2')
    const lines = nodes.map(
      ({ service }) => service.output().match(/"msg":"request"/g)?.length ?? 0,
    )
    print(`  lines at debug: ${lines.join(', ')}`)
    if (lines.some((count) => count === 0)) goal('nodes that logged no line at debug', 1, 0)
  })
}

function tlsFiles(folder: string) {
  const [certFile, keyFile] = [join(folder, 'fullchain.pem'), join(folder, 'privkey.pem')]
  const authority = { commonName: 'the authority of the drill' }
  const issued = certificate({ ...authority, isAuthority: true })
  const issuer = { ...authority, key: issued.key }
  const make = () =>
    certificate({ commonName: 'localhost', hosts: ['localhost', '127.0.0.1'], issuer })
  const put = ({ cert, key }: Certificate) => {
    keep(certFile, cert)
    keep(keyFile, key)
    return new X509Certificate(cert).fingerprint256
  }
  put(make())
  const env = { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile, BASE_URL: 'https://localhost' }
  return { authority: issued.cert, env, renew: () => put(make()) }
}

/** The fingerprint of the certificate that a new handshake gets. */
function presented({ url }: DrillNode): Promise<string> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(url)
    const options = { port: Number(port), host: '127.0.0.1', rejectUnauthorized: false }
    const socket = connect(options, () => {
      const { raw } = socket.getPeerCertificate()
      socket.destroy()
      resolve(new X509Certificate(raw).fingerprint256)
    })
    socket.on('error', reject)
  })
}

/** Whether the key from before the turn opens the key set. */
async function opensWith(
  key: string,
  env: Record<string, string>,
  files: string,
): Promise<boolean> {
  const file = join(files, 'before')
  keep(file, key)
  try {
    await gatehouse(['keys', 'list'], { ...env, MASTER_KEY_FILE: file })
    return true
  } catch (error) {
    if (!String(error).includes('does not open the key set')) throw error
    return false
  }
}
