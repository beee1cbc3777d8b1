import type { components } from '../../api/openapi.d.ts'
import type { Tone } from '../../components/mark.tsx'

export type BackupRun = components['schemas']['BackupRun']

export const stateTones: Readonly<Record<BackupRun['state'], Tone>> = {
  waiting: 'plain',
  running: 'plain',
  done: 'good',
  failed: 'bad',
  removed: 'plain',
}

export function isUnderWay({ state }: BackupRun): boolean {
  return state === 'waiting' || state === 'running'
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** A size in the largest unit of which it has one: "14.7 MB". */
export function sizeInWords(bytes: number, language: string): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const format = new Intl.NumberFormat(language, {
    style: 'unit',
    unit: units[power] ?? 'byte',
    maximumFractionDigits: power === 0 ? 0 : 1,
  })
  return format.format(bytes / 1000 ** power)
}
