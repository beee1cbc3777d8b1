import type { ReadRecord } from '../read-records.ts'
import { type Convert, toRecord } from './account.ts'
import type { ForeignFormat } from './format.ts'
import type { RoleMap } from './role-map.ts'

const formats = {
  keycloak: async () => (await import('./keycloak.ts')).keycloak,
  authelia: async () => (await import('./authelia.ts')).authelia,
  ldif: async () => (await import('./ldif.ts')).ldif,
  firebase: async () => (await import('./firebase.ts')).firebase,
  auth0: async () => (await import('./auth0.ts')).auth0,
  'better-auth': async () => (await import('./better-auth.ts')).betterAuth,
  pocketbase: async () => (await import('./pocketbase.ts')).pocketbase,
  supabase: async () => (await import('./supabase.ts')).supabase,
  kratos: async () => (await import('./kratos.ts')).kratos,
} as const satisfies Readonly<Record<string, () => Promise<ForeignFormat>>>

export type FormatName = keyof typeof formats
export const formatNames = Object.keys(formats) as FormatName[]

export async function loadFormat(name: string): Promise<ForeignFormat | undefined> {
  return Object.hasOwn(formats, name) ? formats[name as FormatName]() : undefined
}

/** A reader for `imports.run`. */
export function foreignReader(format: ForeignFormat, convert: Convert, roles: RoleMap) {
  return async function* read(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<ReadRecord[]> {
    for await (const records of format.records(pieces)) {
      yield records.flatMap((record) => toRecord(record, convert, roles))
    }
  }
}
