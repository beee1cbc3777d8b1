import { createPrivateKey } from 'node:crypto'

export const presetNames = ['github', 'discord', 'gitlab', 'google', 'microsoft', 'apple'] as const

export type PresetName = (typeof presetNames)[number]

export function parsePreset(value: string): PresetName {
  const found = presetNames.find((name) => name === value)
  if (!found) throw new Error(`must be one of ${presetNames.join(', ')}`)
  return found
}

/** A directory of Microsoft. */
export const directoryId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function parseTenant(item: string): string {
  const id = item.toLowerCase()
  if (id === 'any' || directoryId.test(id)) return id
  throw new Error(`holds ${JSON.stringify(item)}: the id of a directory has 32 hexadecimal digits`)
}

export function parseAppleId(value: string): string {
  if (!/^[A-Z0-9]{10}$/.test(value)) throw new Error('must be 10 capital letters and digits')
  return value
}

/** @throws Error unless the text of a P-256 key */
export function assertAppleKey(text: string): void {
  let curve: string | undefined
  try {
    curve = createPrivateKey(text).asymmetricKeyDetails?.namedCurve
  } catch {
    // Refused below: the error of the parser could quote the key.
  }
  if (curve !== 'prime256v1') throw new Error('must be the text of a P-256 key in PEM (.p8)')
}
