import { readFileSync } from 'node:fs'
import { isLoopback } from '../../core/addresses/loopback.ts'
import { type CommandCall, textOf, UsageError } from '../../core/cli/command.ts'
import { assertReadable } from '../../core/cli/files.ts'
import { shown } from '../../core/cli/output.ts'
import { readSecret } from '../../core/cli/secrets.ts'
import { choiceOption } from '../../core/cli/value-options.ts'
import { contractSettings, type SettingName } from './check.ts'
import { allChecks } from './checks.ts'
import type { Target } from './http.ts'
import type { Credentials } from './people.ts'
import { formats, profiles, type RunOptions } from './run.ts'

export interface VerifyOptions
  extends Target,
    Pick<RunOptions, 'profile' | 'settings' | 'maxWaitSeconds' | 'only' | 'operator'> {
  readonly format: string
  readonly isStrict: boolean
}

const timeoutMs = 30_000

/** @throws UsageError */
export async function parseOptions(call: CommandCall): Promise<VerifyOptions> {
  const { operands, values } = call
  const profile = choiceOption(call, 'profile', profiles) ?? 'contract'
  const ca = textOf(call, 'ca')
  if (ca !== undefined) assertReadable(ca)
  const isJson = values.json === true
  const options = {
    url: urlOf(operands[0] ?? ''),
    ca: ca === undefined ? undefined : readFileSync(ca, 'utf8'),
    timeoutMs,
    profile,
    format: choiceOption(call, 'format', formats) ?? (isJson ? 'json' : 'text'),
    settings: settingsOf(listOf(values.setting)),
    maxWaitSeconds: secondsOf(textOf(call, 'wait') ?? '0'),
    only: onlyOf(listOf(values.only)),
    isStrict: values.strict === true,
  }
  const password = await passwordOf(call)
  const username = textOf(call, 'admin') ?? (call.terminal.env.ADMIN_USERNAME || 'admin')
  const operator: Credentials | null = password === null ? null : { username, password }
  if (operator === null && profile !== 'read-only') {
    throw new UsageError(
      'the password of an administrator is needed: ADMIN_PASSWORD, --password-file or --password-stdin; without one use --profile read-only',
    )
  }
  const { hostname, protocol } = options.url
  const isReadable = protocol === 'http:' && !isLoopback(hostname)
  if (operator && isReadable && values['insecure-http'] !== true) {
    throw new UsageError(
      'http to another host sends the password in the clear: use https, or --insecure-http in a network that you trust',
    )
  }
  return { ...options, operator }
}

/** @throws UsageError */
function urlOf(given: string): URL {
  const url = URL.parse(given.includes('://') ? given : `https://${given}`)
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (!url || !isWeb || url.username !== '' || url.password !== '') {
    throw new UsageError('the URL must be one of https or http: https://auth.example.org')
  }
  if (url.search !== '' || url.hash !== '') {
    throw new UsageError('the URL must be without a query or fragment')
  }
  return url
}

/** Null if none is given. @throws UsageError */
async function passwordOf(call: CommandCall): Promise<string | null> {
  const { env } = call.terminal
  const file = textOf(call, 'password-file')
  if (call.values['password-stdin'] === true) {
    if (file !== undefined) throw new UsageError('--password-file or --password-stdin, not both')
    return readSecret(call.terminal, 'password')
  }
  const path = file ?? (env.ADMIN_PASSWORD ? undefined : env.ADMIN_PASSWORD_FILE || undefined)
  if (path === undefined) return env.ADMIN_PASSWORD || null
  assertReadable(path)
  const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  if (text === '' || /[\r\n]/.test(text)) throw new UsageError(`${path} must hold one line`)
  return text
}

/** @throws UsageError */
function settingsOf(given: readonly string[]): VerifyOptions['settings'] {
  return Object.fromEntries(
    given.map((pair) => {
      const [, name = '', value = ''] = /^([A-Z_]+)=(.*)$/s.exec(pair) ?? []
      const names = Object.keys(contractSettings)
      if (!names.includes(name)) {
        throw new UsageError(`--setting must be NAME=value, with one of ${names.join(', ')}`)
      }
      const isNumber = /^\d+$/.test(contractSettings[name as SettingName])
      if (isNumber && !/^\d{1,9}$/.test(value)) {
        throw new UsageError(`--setting ${name} must have a number`)
      }
      return [name, value]
    }),
  )
}

/** @throws UsageError */
function secondsOf(given: string): number {
  if (!/^\d{1,7}$/.test(given)) throw new UsageError('--wait must be a number of seconds')
  return Number(given)
}

/** @throws UsageError */
function onlyOf(given: readonly string[]): readonly string[] {
  for (const beginning of given) {
    if (allChecks.some(({ id }) => beginning !== '' && id.startsWith(beginning))) continue
    throw new UsageError(
      `no check begins with ${shown(beginning.slice(0, 40))}: see docs/verify.md`,
    )
  }
  return given
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}
