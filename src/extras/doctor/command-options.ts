import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { type CommandCall, textOf, UsageError } from '../../core/cli/command.ts'
import { assertReadable } from '../../core/cli/files.ts'
import { shown } from '../../core/cli/output.ts'

export interface DoctorOptions {
  readonly isInside: boolean
  readonly isOutside: boolean
  /** Undefined: BASE_URL, if reachable. */
  readonly url: string | undefined
  readonly connect: { readonly address: string; readonly port: number | null } | undefined
  readonly ca: string | undefined
}

/** @throws UsageError */
export function parseDoctorOptions(call: CommandCall): DoctorOptions {
  const { operands, values } = call
  const [given] = operands
  if (values.inside === true && values.outside === true) {
    throw new UsageError(
      '--inside and --outside exclude each other: without them both are examined',
    )
  }
  if (values.inside === true && given !== undefined) {
    throw new UsageError('--inside examines no URL')
  }
  const url = given === undefined ? undefined : urlOf(given)
  const ca = textOf(call, 'ca')
  if (ca !== undefined) assertReadable(ca)
  return {
    isInside: values.outside !== true,
    isOutside: values.inside !== true,
    url,
    connect: connectOf(textOf(call, 'connect'), url),
    ca: ca === undefined ? undefined : readFileSync(ca, 'utf8'),
  }
}

/** Defaults to https. @throws UsageError */
function urlOf(given: string): string {
  const url = URL.parse(given.includes('://') ? given : `https://${given}`)
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (!url || !isWeb || url.username !== '' || url.password !== '') {
    throw new UsageError('the URL must be one of https or http: https://auth.example.org')
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw new UsageError('the URL must be without a path: the service has all paths of its host')
  }
  return url.origin
}

/** @throws UsageError */
function connectOf(given: string | undefined, url: string | undefined): DoctorOptions['connect'] {
  if (given === undefined) return undefined
  const [, bracketed, plain, port] =
    /^(?:\[([^\]]+)\]|([^:]+|[^[\]]*:[^[\]]*:[^[\]]*))(?::(\d{1,5}))?$/.exec(given) ?? []
  const address = bracketed ?? plain ?? ''
  if (isIP(address) === 0) {
    throw new UsageError(
      '--connect must be an address: 192.0.2.7, 192.0.2.7:8443, [2001:db8::7]:8443',
    )
  }
  const host = url === undefined ? '' : new URL(url).hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) throw new UsageError('--connect is for a URL with the name of a host')
  return { address, port: port === undefined ? null : Number(port) }
}

/** For --except. @throws UsageError for an unknown name */
export async function leftOut({ modules, values }: CommandCall): Promise<ReadonlySet<string>> {
  const given = Array.isArray(values.except) ? values.except.map(String) : []
  if (given.length === 0) return new Set()
  const { loadChecks, rowsByPlace } = await import('./all-checks.ts')
  const rows = Object.values(rowsByPlace(await loadChecks(modules))).flat()
  for (const name of given) {
    if (!rows.some(({ id }) => id === name)) {
      throw new UsageError(`there is no check ${shown(name.slice(0, 40))}: see docs/doctor.md`)
    }
  }
  return new Set(given)
}
