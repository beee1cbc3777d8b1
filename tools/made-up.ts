import { freePort } from './free-port.ts'
import { type Service, startService } from './service.ts'

/** What the pictures of the console show, made through the API of a service. */
export interface MadeUp {
  readonly administrator: { readonly username: string; readonly password: string }
  /** A request that was refused, for the box of "Why was this refused?". */
  readonly refusedId: string
}

const password = 'made up for pictures'
const long = `${'<b>x</b>'.repeat(4)}\u202Edesrever\u202C👩‍👩‍👧${'unbroken'.repeat(5)}` // the longest name has 100 characters
const names = ['Ann Example', 'Bo Lindqvist', 'Chen Wei', 'ד״ר דנה כהן', 'Émile Zola', long]

async function makeUp({ url }: Pick<Service, 'url'>): Promise<MadeUp> {
  const administrator = { username: 'admin', password }
  const login = await send('POST', '/login', {
    body: new URLSearchParams({ ...administrator, mode: 'token' }),
  })
  const { token } = (await login.json()) as { token: string } // what the contract says

  async function send(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const answer = await fetch(url + path, { method, ...init })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer
  }
  const api = (method: string, path: string, json: object) =>
    send(method, path, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    })

  for (let number = 0; number < 36; number += 1) {
    const username = `person${number}`
    const name = names[number] ?? `Person ${number}`
    const roles = number % 9 === 1 ? ['USER', 'EDITOR'] : ['USER']
    const email = `${username}@example.org`
    await api('POST', '/api/admin/accounts', { username, password, name, email, roles })
    if (number % 12 === 2) await api('PUT', `/api/admin/accounts/${username}`, { locked: true })
    if (number < 6) await fetch(`${url}/login`, { method: 'POST', body: form(username, password) })
  }
  for (const title of ['Maintenance on Sunday', 'New office', long]) {
    await api('POST', '/api/posts', { title, content: `${title}. More of it.` })
  }
  for (const email of ['new@example.org', 'newer@example.org']) {
    await api('POST', '/api/admin/invitations', { email, roles: ['USER'] })
  }
  await api('POST', '/users', { name: 'A user without an account', email: 'none@example.org' })
  await api('POST', '/api/admin/webhooks', {
    url: 'http://127.0.0.1:9/hook',
    events: ['user_*'],
  })
  let refusedId = ''
  for (let tries = 0; tries < 8; tries += 1) {
    const refused = await fetch(`${url}/login`, { method: 'POST', body: form('person3', 'wrong') })
    refusedId = refused.headers.get('x-request-id') ?? ''
  }
  return { administrator, refusedId }
}

/** Starts a service of made-up data for `use`, and removes it afterwards. */
export async function withMadeUp<Result>(
  use: (madeUp: MadeUp & { readonly url: string }) => Promise<Result>,
): Promise<Result> {
  const service = await startService([process.execPath, 'src/main.ts'], {
    ADMIN_PASSWORD: password,
    LOG_LEVEL: 'info', // its address is in the log
    PORT: String(await freePort()), // mail has links to it
    WORKERS: '1',
  })
  try {
    return await use({ ...(await makeUp(service)), url: service.url })
  } finally {
    await service.stop()
    service.remove()
  }
}

function form(username: string, secret: string): URLSearchParams {
  return new URLSearchParams({ username, password: secret })
}
