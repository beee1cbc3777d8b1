import assert from 'node:assert/strict'
import { type Service, startService } from './service.ts'

/**
 * Does the login throttle hold for guesses that come all at once, through two processes on one
 * database, one of which is killed on the way? `npm run prove:throttle`
 */
const guesses = 200
const limit = 5
const env = {
  ADMIN_PASSWORD: 'a pass phrase for proofs, 1887',
  NODE_ENV: 'test',
  // One address guesses at many names here: its own limit is not what is proved.
  LOGIN_ADDRESS_ATTEMPTS: '0',
  LOGIN_LOCK_AFTER: '0',
}
const command = [process.execPath, 'src/main.ts'] as const

let first = await startService(command, env)
const second = await startService(command, env, first.dataDirectory)
try {
  for (const username of ['admin', 'nobody']) {
    const statuses = await guess(username, [first, second])
    report(`${guesses} parallel guesses at ${username}, two processes`, statuses)
    assert.equal(count(statuses, 401), limit)
    assert.equal(count(statuses, 429), guesses - limit)
  }
  assert.equal(verifications([first, second]), 2 * limit, 'passwords looked at')

  const before = verifications([first, second])
  const killed = guess('victim', [first, second])
  await new Promise((resolve) => setTimeout(resolve, 25))
  first.process.kill('SIGKILL')
  const statuses = await killed
  report(`${guesses} parallel guesses, one process killed on the way`, statuses)
  assert.ok(count(statuses, 401) <= limit)
  assert.ok(verifications([first, second]) - before <= limit, 'passwords looked at')
  first = await startService(command, env, first.dataDirectory)
  // A place of the killed process is pending for ten seconds at most; then it counts as used.
  await new Promise((resolve) => setTimeout(resolve, 10_500))
  const after = await guess('victim', [first, second])
  report(`${guesses} more, after its restart`, after)
  assert.ok(count(statuses, 401) + count(after, 401) <= limit, 'five in all')
  assert.equal(count(after, 429) + count(after, 401), guesses)
  const again = await guess('victim', [first])
  assert.equal(count(again, 429), guesses)
  print('PASS')
} finally {
  await Promise.all([first.stop(), second.stop()])
  first.remove()
}

/** Wrong passwords for one name, all at once, in turn through the services; 0 where one was gone. */
function guess(username: string, services: readonly Service[]): Promise<number[]> {
  return Promise.all(
    Array.from({ length: guesses }, async (_, index) => {
      const service = services[index % services.length]
      const body = new URLSearchParams({ username, password: `wrong pass phrase ${index}` })
      try {
        const response = await fetch(`${service?.url}/login`, { method: 'POST', body })
        await response.arrayBuffer()
        return response.status
      } catch {
        return 0
      }
    }),
  )
}

/** Each verification of a wrong password leaves one line in the log. */
function verifications(services: readonly Service[]): number {
  return services.reduce(
    (sum, service) => sum + (service.output().match(/"event":"authn_login_fail"/g) ?? []).length,
    0,
  )
}

function report(what: string, statuses: readonly number[]): void {
  print(
    `${what}: ${count(statuses, 401)} x 401, ${count(statuses, 429)} x 429, ${count(statuses, 0)} cut off`,
  )
}

function count(statuses: readonly number[], wanted: number): number {
  return statuses.filter((status) => status === wanted).length
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
