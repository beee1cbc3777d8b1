import type { ProviderConfig } from '../../../core/config/load.ts'
import { wrong } from '../guarded-fetch.ts'
import type { ProviderRow, ProviderValues } from '../provider-settings.ts'
import type { Preset } from './preset.ts'
import { directoryId } from './values.ts'

type Raw = Readonly<Record<string, unknown>>

const base = 'https://login.microsoftonline.com'
const shape = /^https:\/\/login\.microsoftonline\.com\/([^/]+)\/v2\.0$/
const several: ReadonlySet<unknown> = new Set(['common', 'organizations'])

/** What the discovery document of several directories names as issuer. */
export const issuerTemplate = `${base}/{tenantid}/v2.0`

/**
 * Each directory is an issuer. An administrator of a directory can write any address into `email`:
 * it is verified only by `xms_edov`, an optional claim.
 */
export const microsoft: Preset = {
  label: 'Microsoft',
  kind: 'oidc',
  fixed: { KIND: 'oidc' },
  needs: ['ISSUER'],
  mistakes: mistakesOf,
  // Microsoft writes the boolean in several ways.
  isEmailVerified: ({ xms_edov }) => [true, 1, '1', 'true'].some((yes) => xms_edov === yes),
}

function mistakesOf({ ISSUER, TENANTS, AUDIENCE }: ProviderValues) {
  const mistakes: [ProviderRow, string][] = []
  if (ISSUER === undefined) return mistakes // `needs` asks for it
  const [, directory] = shape.exec(ISSUER) ?? []
  const isOfSeveral = several.has(directory)
  if (!isOfSeveral && !(directory && directoryId.test(directory))) {
    const text = `must be ${base}/<directory id>/v2.0, or with common or organizations in place of the id`
    mistakes.push(['ISSUER', text])
  } else if (isOfSeveral && TENANTS.length === 0) {
    const text = `must be set: the ids of the directories whose people may sign in, or any for everyone who has an account at Microsoft`
    mistakes.push(['TENANTS', text])
  } else if (!isOfSeveral && TENANTS.length > 0) {
    mistakes.push(['TENANTS', 'must not be set: the issuer is that of one directory'])
  }
  if (TENANTS.includes('any') && TENANTS.length > 1) {
    mistakes.push(['TENANTS', 'must be any, or ids'])
  }
  if (isOfSeveral && AUDIENCE) {
    mistakes.push(['AUDIENCE', 'must not be set: bearer tokens need the issuer of one directory'])
  }
  return mistakes
}

type Tenants = Pick<ProviderConfig, 'tenants'>

export function issuerOfTenant(tenant: string): string {
  return `${base}/${tenant}/v2.0`
}

/** Whether the people of the issuer may sign in. */
export function isTenantIssuer({ tenants }: Tenants, issuer: unknown): boolean {
  const [, directory] = typeof issuer === 'string' ? (shape.exec(issuer) ?? []) : []
  if (tenants === null || directory === undefined || !directoryId.test(directory)) return false
  return tenants.includes('any') || tenants.includes(directory)
}

/**
 * The library has compared `iss` with the issuer of `tid`, which the token chooses. @throws
 * ApiError identityProvider
 */
export function tenantIssuer(config: Tenants, { iss, tid }: Raw): string {
  if (typeof iss !== 'string' || typeof tid !== 'string' || iss !== issuerOfTenant(tid)) {
    throw wrong('the ID token names no directory')
  }
  if (!isTenantIssuer(config, iss))
    throw wrong('the ID token is of a directory that is not allowed')
  return iss
}

/** A key of the common set may belong to one directory alone. */
export function isKeyOf(keyIssuer: unknown, issuer: string): boolean {
  return keyIssuer === undefined || keyIssuer === issuer || keyIssuer === issuerTemplate
}
