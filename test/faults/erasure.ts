import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { masterKey } from '../master-key.ts'
import { basicOf, bearer, cookieOf, type ServiceNode, startNode } from './node.ts'

/** A person whose texts are nowhere else, so that any trace of them is a trace of the person. */
interface Person {
  readonly username: string
  readonly name: string
  readonly email: string
  readonly password: string
}

/** What is searched besides the data directory and the log; paths of files. */
export interface Place {
  readonly env: Record<string, string>
  /** The files of the database, once all of it is written. */
  readonly databaseFiles: (directory: string) => Promise<string[]>
  /** Has the planner take its samples, as a server does by itself. */
  readonly analyze?: () => Promise<void>
  /** A dump of the database; its path. */
  readonly dump?: () => Promise<string>
}

export interface Erased {
  readonly persons: number
  /** In how many places the texts were found before the erasure, and after it, before `compact`. */
  readonly before: number
  readonly uncompacted: number
  /** Where a text was found at the end; empty is right. */
  readonly found: readonly string[]
  readonly searchedBytes: number
  readonly compactMs: number
  /** The requests of other callers during `compact`; null on SQLite, where the service is stopped. */
  readonly beside: Beside | null
}

interface Beside {
  readonly longestReadMs: number
  readonly longestWriteMs: number
  readonly failedRequests: number
}

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/**
 * Has persons leave traces everywhere, erases half of them by themselves and half by an administrator,
 * at a running service with workers, compacts the database, makes a backup, and searches all bytes of
 * files, logs and copies for their texts.
 */
export async function proveErasure(place: Place, persons: number): Promise<Erased> {
  const mail = { SMTP_URL: deadServer, MAIL_FROM: 'service@example.org' }
  const env = { ...place.env, ...mail, LOG_LEVEL: 'debug', REJECTIONS_KEPT: '10000' }
  const node = await startNode({ env })
  const copies = mkdtempSync(join(tmpdir(), 'gatehouse-copies-'))
  try {
    const wanted = Array.from({ length: persons }, (_, index) => personOf(index))
    const admin = bearer(await node.token())
    const ids: number[] = []
    for (let from = 0; from < persons; from += atOnce) {
      const some = wanted.slice(from, from + atOnce) // more wait for their hashes until they are refused
      ids.push(...(await Promise.all(some.map((person) => leaveTraces(node, admin, person)))))
    }
    await place.analyze?.()
    let output = ''
    const stop = async () => {
      assert.equal(await node.stop(), 0)
      output += node.service.output()
      return place.databaseFiles(node.directory)
    }
    const before = search(wanted, await stop(), output)
    await node.start()
    const again = bearer(await node.token())
    for (const [index, person] of wanted.entries())
      await erase(node, again, person, ids[index], index)
    const uncompacted = search(wanted, await stop(), output)
    let compacted: Compacted
    if (place.env.DATABASE_URL === undefined) {
      compacted = await compact(node, env)
      await node.start()
    } else {
      await node.start()
      compacted = await compactBeside(node, env)
    }
    await command(node, env, 'audit', 'verify') // it fails if the log is not whole
    const archive = join(copies, 'after.backup')
    await command(node, env, 'backup', archive, '--without-keys')
    const restored = join(copies, 'restored')
    await run(process.execPath, [...cli, 'restore', archive, '--without-keys', '--unverified'], {
      cwd: root,
      env: { ...process.env, NODE_ENV: 'test', DATA_DIR: restored, MASTER_KEY: masterKey },
    })
    const dumped = place.dump ? [await place.dump()] : []
    const files = [
      ...(await stop()),
      archive,
      ...dumped,
      ...filesIn(restored),
      ...filesIn(node.directory),
    ]
    const found = search(wanted, files, output)
    return {
      ...{ persons, before: before.length, uncompacted: uncompacted.length, found },
      searchedBytes: files.reduce((sum, file) => sum + statSync(file).size, output.length),
      ...compacted,
    }
  } finally {
    await node.remove()
    rmSync(copies, { recursive: true, force: true })
  }
}

const atOnce = 4
const deadServer = 'smtp://127.0.0.1:9'
const cli = ['src/cli/main.ts']

function personOf(index: number): Person {
  const username = `wabbelblom${index}`
  return {
    username,
    name: `Quintessa Wabbelblom ${index}`,
    email: `q.wabbelblom.${index}@canary.example`,
    password: 'harbour violet 88 anthem',
  }
}

/** The person signs in and fails to, writes, changes the profile, is searched, named and refused. */
async function leaveTraces(
  { caller }: ServiceNode,
  admin: Record<string, string>,
  person: Person,
): Promise<number> {
  const { username, password, name, email } = person
  const made = await caller.call('POST', '/api/admin/accounts', {
    headers: { ...admin, 'idempotency-key': `make-${username}` },
    json: { username, password, name, email, roles: ['USER', 'EDITOR'] },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const login = await caller.call('POST', '/login', {
    form: { username, password, mode: 'session' },
  })
  assert.equal(login.status, 200, JSON.stringify(login.body))
  const headers = { cookie: cookieOf(login), 'x-csrf-token': login.body.csrf_token }
  await caller.call('POST', '/login', { form: { username, password: 'wrong', mode: 'session' } })
  await caller.call('POST', '/login', { form: { username: email, password, mode: 'session' } })
  await caller.call('POST', '/api/posts', { headers, json: { title: 'A post', body: 'of no one' } })
  const renamed = { json: { name: `${name} Esq.`, email } }
  await caller.call('PUT', `/users/${made.body.user_id}`, { headers, ...renamed })
  await caller.call('PUT', '/api/account/email', {
    headers,
    json: { email, current_password: password },
  })
  await caller.call('GET', `/api/v2/users?q=${encodeURIComponent(name)}`, { headers: admin })
  await caller.call('GET', `/api/admin/accounts/${username}`, { headers: admin })
  await caller.call('GET', `/api/admin/accounts/${username}`, { headers })
  await caller.call('GET', `/people/${username}`, { headers: admin })
  await caller.call('POST', '/api/public/reset', { json: { username } })
  return made.body.user_id
}

async function erase(
  { caller }: ServiceNode,
  admin: Record<string, string>,
  person: Person,
  id: number | undefined,
  index: number,
): Promise<void> {
  const json = { username: person.username }
  const { status } =
    index % 2 === 0
      ? await caller.call('DELETE', '/api/account', { headers: basicOf(person), json })
      : await caller.call('DELETE', `/users/${id}`, { headers: admin })
  assert.equal(status, 200)
}

async function command(
  { directory }: ServiceNode,
  env: Record<string, string>,
  ...words: string[]
): Promise<string> {
  const { stdout } = await run(process.execPath, [...cli, ...words], {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'test', DATA_DIR: directory, MASTER_KEY: masterKey, ...env },
    maxBuffer: 1e8,
  })
  return stdout
}

type Compacted = Pick<Erased, 'compactMs' | 'beside'>

async function compact(node: ServiceNode, env: Record<string, string>): Promise<Compacted> {
  const startedAt = performance.now()
  await command(node, env, 'compact')
  return { compactMs: performance.now() - startedAt, beside: null }
}

/** Compacts while other callers read and write. */
async function compactBeside(node: ServiceNode, env: Record<string, string>): Promise<Compacted> {
  const headers = bearer(await node.token())
  const longest = { read: 0, write: 0 }
  let failed = 0
  let isDone = false
  const repeat = async (kind: 'read' | 'write', ask: () => Promise<{ status: number }>) => {
    while (!isDone) {
      const startedAt = performance.now()
      const { status } = await ask()
      if (status >= 400) failed += 1
      longest[kind] = Math.max(longest[kind], performance.now() - startedAt)
    }
  }
  const { caller } = node
  const others = [
    repeat('read', () => caller.call('GET', '/users?page=1', { headers })),
    repeat('write', () =>
      caller.call('POST', '/users', { headers, json: { name: 'Other', email: 'o@example.org' } }),
    ),
  ]
  const compacting = compact(node, env)
  const { compactMs } = await compacting.finally(() => {
    isDone = true
  })
  await Promise.all(others)
  return {
    compactMs,
    beside: {
      ...{ longestReadMs: longest.read, longestWriteMs: longest.write },
      failedRequests: failed,
    },
  }
}

/** Where texts of persons stand, in any spelling of letters. */
function search(persons: readonly Person[], files: readonly string[], output: string): string[] {
  const texts = persons.flatMap(({ username, name, email }) => [username, name, email])
  const needles = [...new Set(texts.map((text) => text.toLowerCase()))]
  const places = files.map((path) => [path, readFileSync(path).toString('latin1')] as const)
  return [...places, ['the log', output] as const].flatMap(([path, text]) => {
    const lower = text.toLowerCase()
    return needles.filter((needle) => lower.includes(needle)).map((needle) => `${path}: ${needle}`)
  })
}

export function filesIn(directory: string): string[] {
  return globSync('**/*', { cwd: directory })
    .map((file) => join(directory, file))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false)
}
