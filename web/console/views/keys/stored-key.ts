import type { components } from '../../api/openapi.d.ts'
import type { Tone } from '../../components/mark.tsx'

export type StoredKey = components['schemas']['StoredKey']
export type Purpose = StoredKey['purpose']

export const purposes = [
  'signing',
  'refresh',
  'identity',
  'data',
] as const satisfies readonly Purpose[]

export const stateTones: Readonly<Record<StoredKey['state'], Tone>> = {
  signs: 'good',
  published: 'plain',
  verifies: 'plain',
  ended: 'plain',
  encrypts: 'good',
}
