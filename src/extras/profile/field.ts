import type { JsonSchema } from '../../core/http/schemas.ts'
import type { Language } from '../../core/lib/languages.ts'
import type { ClaimPlace } from '../../modules/accounts/account-claims.ts'

export const fieldTypes = ['string', 'number', 'integer', 'boolean'] as const
export type FieldType = (typeof fieldTypes)[number]

/** `owner` includes administrators, `public` everyone. */
export const fieldReaders = ['admin', 'owner', 'public'] as const
export type FieldReader = (typeof fieldReaders)[number]

/** `owner` includes administrators. */
export const fieldWriters = ['admin', 'owner'] as const
export type FieldWriter = (typeof fieldWriters)[number]

export type FieldValue = string | number | boolean
export type FieldValues = Readonly<Record<string, FieldValue>>

/** An entry of `properties` of PROFILE_FILE: docs/profile.md */
export interface ProfileField {
  readonly name: string
  readonly type: FieldType
  readonly labels: Readonly<Record<Language, string>>
  /** Of a value. */
  readonly schema: JsonSchema
  readonly enum: readonly FieldValue[] | null
  readonly read: FieldReader
  readonly write: FieldWriter
  readonly isUnique: boolean
  /** Sign-up needs a value, and the owner cannot remove it. */
  readonly isRequired: boolean
  /** Whether sign-up asks for the value. */
  readonly isAtSignUp: boolean
  readonly claims: readonly ClaimPlace[]
}

export function mayRead({ read }: ProfileField, reader: FieldReader): boolean {
  return fieldReaders.indexOf(read) >= fieldReaders.indexOf(reader)
}

export function mayWrite({ write }: ProfileField, writer: FieldWriter): boolean {
  return fieldWriters.indexOf(write) >= fieldWriters.indexOf(writer)
}
