import type { Answer, TestApp } from '../app.ts'
import type { Json } from '../forge.ts'
import { type TestBrowser, testBrowser } from '../test-browser.ts'
import type { World } from './world.ts'

/** What a provider adds to the query of the callback. */
const added: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'github.com': { iss: 'https://github.com/login/oauth' },
}

/** The way back to the service after a person has agreed. */
export function wayBack(world: World, address: string, person: Json): string {
  const { host, searchParams } = new URL(address)
  const callback = new URL(searchParams.get('redirect_uri') ?? '')
  callback.searchParams.set('code', world.grant(address, person))
  callback.searchParams.set('state', searchParams.get('state') ?? '')
  for (const [name, value] of Object.entries(added[host] ?? {})) {
    callback.searchParams.set(name, value)
  }
  return callback.pathname + callback.search
}

/** Signs a person in at a named provider; answers the last answer. */
export async function signInAt(
  app: TestApp,
  world: World,
  name: string,
  person: Json,
  browser: TestBrowser = testBrowser(app),
): Promise<{ readonly answer: Answer; readonly browser: TestBrowser }> {
  const begun = await browser.call('GET', `/oauth/${name}/login`)
  const back = wayBack(world, String(begun.headers.location), person)
  return { answer: await browser.call('GET', back), browser }
}
