import { codeOfStep, stepSeconds } from '../src/modules/totp/totp.ts'
import type { Headers, Someone, TestApp } from './app.ts'
import { type Make, present } from './example.ts'
import { confirmAtProvider, headersOf, proofOf } from './proofs.ts'
import type { TestBrowser } from './test-browser.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The bytes that an authenticator app reads from a base32 text. */
export function fromBase32(text: string): Buffer {
  const bits = [...text]
    .map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

export interface Device {
  readonly recoveryCodes: string[]
  /** The code that the authenticator app shows some steps from now. */
  code(steps?: number): string
}

/** The code that an authenticator app with this typed secret shows, some steps from now. */
export function codeOf(app: TestApp, secret: string, steps = 0): string {
  const now = Math.floor(app.clock.now() / 1000 / stepSeconds)
  return codeOfStep(fromBase32(secret), now + steps)
}

/** Begins to enrol a second factor; answers a function for the code some steps from now. */
export async function beginEnrolment(
  app: TestApp,
  headers: Headers,
  path = '/api/account',
  proof?: object,
): Promise<Device['code']> {
  const json = proof ?? (await proofOf(app, headers))
  const begun = await app.call('POST', `${path}/totp`, { headers, json })
  if (begun.status !== 201) throw new Error(`no enrolment: ${begun.status} ${begun.text}`)
  return (steps) => codeOf(app, begun.body.secret, steps)
}

/** Enrols a second factor with the headers of a login. */
export async function enrol(
  app: TestApp,
  headers: Headers,
  path = '/api/account',
  proof?: object,
): Promise<Device> {
  const code = await beginEnrolment(app, headers, path, proof)
  const confirmed = await app.call('PUT', `${path}/totp`, { headers, json: { totp: code() } })
  if (confirmed.status !== 200)
    throw new Error(`not confirmed: ${confirmed.status} ${confirmed.text}`)
  return { recoveryCodes: confirmed.body.recovery_codes, code }
}

/** Enrols a second factor in a browser, of an account that signs in by a provider alone. */
export async function enrolAtProvider(app: TestApp, browser: TestBrowser): Promise<Device> {
  await confirmAtProvider(browser, 'factor')
  return enrol(app, await headersOf(browser))
}

/** Creates an account with a second factor. Moves the time by a step, because its code was used. */
export async function enrolled(
  app: TestApp,
  username: string,
): Promise<{ who: Someone; device: Device }> {
  const who = await app.account(username)
  const device = await enrol(app, await app.session(who))
  app.clock.advance(stepSeconds)
  return { who, device }
}

/** A code of the caller's app that was not used before, and the proof of the person. */
export const presentWithTotp: Make = ({ app }, caller) => {
  app.clock.advance(stepSeconds)
  return { json: { totp: caller.device?.code(), ...present(caller) } }
}
