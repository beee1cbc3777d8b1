import assert from 'node:assert/strict'

/** Asserts that a password opens the service: a login, the own name, and the list of users. */
export async function logIn(
  url: string,
  password: string,
  send: typeof fetch = fetch,
): Promise<void> {
  const login = await send(`${url}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  })
  assert.equal(login.status, 200, await login.clone().text())
  const { token } = (await login.json()) as { token: string } // what the contract says
  const headers = { authorization: `Bearer ${token}` }
  for (const path of ['/api/me', '/users']) {
    assert.equal((await send(url + path, { headers })).status, 200, path)
  }
  const refused = await send(`${url}/api/me`, { headers: { authorization: `Bearer ${token}x` } })
  assert.deepEqual([refused.status, await refused.json()], [401, { error: 'Invalid token' }])
}

const logins = 100
const loginsAtOnce = 4 // of one name: fewer than LOGIN_ATTEMPTS
const reads = 5000
const readsAtOnce = 20

/** Logs in and reads. Returns what was done. */
export async function logInMany(url: string, password: string): Promise<string> {
  await inParallel(logins, loginsAtOnce, () => logIn(url, password))
  await inParallel(reads, readsAtOnce, async () => {
    const answer = await fetch(`${url}/api/public/status`)
    assert.equal(answer.status, 200)
    await answer.text()
  })
  return `${logins} logins, ${loginsAtOnce} at once, and ${reads} reads, ${readsAtOnce} at once`
}

async function inParallel(times: number, atOnce: number, work: () => Promise<void>) {
  let left = times
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) await work()
    }),
  )
}
