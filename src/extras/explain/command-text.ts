import { isIP } from 'node:net'
import { gatehouse } from '../../core/hints/command-line.ts'

/** The facts of a reason as a person reads them: `used 5, attempts 5`; null if there are none. */
export function factsInWords(facts: Readonly<Record<string, unknown>>): string | null {
  const words = Object.entries(facts).map(([name, value]) => `${name} ${inWords(value)}`)
  return words.join(', ') || null
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.length > 0 ? value.join(' + ') : 'none'
  if (value === null) return '-'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** What an operator can do about a refusal. NAME stands for the username, IP for the client's address. */
const nextSteps: Readonly<Record<string, string>> = {
  account_disabled: `${gatehouse} account enable NAME`,
  account_locked: `${gatehouse} account unlock NAME`,
  account_locked_out: `wait until then, or ${gatehouse} account unlock NAME`,
  account_must_change_password: 'the user logs in with a new password, in new_password',
  account_must_enrol: 'the user enrols a second factor, with the enrolment_token of the answer',
  account_without_password: `${gatehouse} account password NAME`,
  account_waits_for_deletion: 'the owner opens the link of the mail on the deletion',
  claim_exp: 'the client refreshes the token, or the user logs in again',
  limit_account_address: `wait until then, or ${gatehouse} throttle clear NAME`,
  limit_address: `wait until then, or ${gatehouse} throttle clear --address IP`,
  limit_client_address: `wait until then, or ${gatehouse} throttle clear --address IP`,
  limit_second_factor: `wait until then, or ${gatehouse} throttle clear NAME`,
  limit_username_address: `wait until then; ${gatehouse} throttle list, and throttle clear NAME`,
  login_too_old: 'the user logs in again',
  no_such_account: `${gatehouse} account list shows which there are`,
  mail_not_sent: `${gatehouse} mail test ADDRESS shows what the mail server answers`,
  queue_full: 'the client tries again; docs/monitoring.md if it stays',
  recovery_code_wrong: `${gatehouse} account reset-factor NAME, if device and codes are lost`,
  role_lacking: `${gatehouse} account roles NAME ROLE... gives roles; ${gatehouse} routes shows the rules`,
  second_factor_wrong: `${gatehouse} account reset-factor NAME, if device and codes are lost`,
  session_must_enrol: 'the user enrols a second factor at /api/account/totp',
  too_many_requests: 'wait until then, or raise RATE_LIMIT_MAX',
  username_absent: 'the client sends the fields username and password, as a form or as JSON',
  wrong_password: `${gatehouse} account password NAME, if the user has forgotten it`,
}

// A name that a shell could read as more than a word is not put into a command.
const plainName = /^[a-z0-9][a-z0-9._@-]*$/

/** What to do about a reason; null if nothing can be said of it. */
export function nextStep(
  code: string | null,
  username: string | null,
  address = '',
): string | null {
  const step = Object.hasOwn(nextSteps, code ?? '') ? nextSteps[code ?? ''] : undefined
  if (step === undefined) return null
  const isPlain = username !== null && plainName.test(username)
  const named = isPlain ? step.replaceAll('NAME', username) : step
  return isIP(address) ? named.replace('--address IP', `--address ${address}`) : named
}

/** The codes that have a step, for the test that compares them with the registry. */
export const codesWithStep: readonly string[] = Object.keys(nextSteps)

const retryMs = 250
const maxRetries = 6

/**
 * Reads what the service writes within a second, again until it is there: an operator may ask at
 * once. Answers null if it is not there after 1.5 seconds.
 */
export async function readSoon<T>(
  read: () => Promise<T | null>,
  wait: (milliseconds: number) => Promise<unknown>,
): Promise<T | null> {
  for (let retries = 0; ; retries += 1) {
    const found = await read()
    if (found !== null || retries === maxRetries) return found
    await wait(retryMs)
  }
}
