import { optional, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Reading } from '../../core/config/load.ts'
import { goodOr } from '../../core/config/load.ts'
import { type ProfileReading, readProfileFile } from './profile-file.ts'

export const settings = {
  PROFILE_FILE: optional({
    doc: 'A JSON Schema of further fields of accounts: who reads and writes them, which are unique, and which are claims in tokens (docs/profile.md). Every node needs it; a changed file is taken up within a second, one with mistakes is not.',
    parse: (value) => value,
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
  interface KeptFiles {
    readonly PROFILE_FILE?: ProfileReading['fields']
  }
}

export function configure({ kept, values }: Reading) {
  const { PROFILE_FILE: file } = values
  const { fields, mistakes } = goodOr(
    readProfileFile(file),
    kept.PROFILE_FILE && { fields: kept.PROFILE_FILE, mistakes: [] },
  )
  return { config: { profile: { file, atStart: fields } }, mistakes }
}
