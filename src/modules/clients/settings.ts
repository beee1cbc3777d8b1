import { optional, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Reading } from '../../core/config/load.ts'
import { goodOr } from '../../core/config/load.ts'
import { baseUrlOf } from '../../core/config/settings.ts'
import { gatehouse } from '../../core/hints/command-line.ts'
import { type ClientsReading, readClients } from './clients-file.ts'

export const settings = {
  CLIENTS_FILE: optional({
    doc: `A JSON file of the services that may ask here whether a token is active, end tokens, or read the metrics: \`${gatehouse} client add\` writes it, docs/use-it.md shows its format. Every node needs it; a changed file is taken up within a second.`,
    parse: (value) => value,
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
  interface KeptFiles {
    readonly CLIENTS_FILE?: ClientsReading['clients']
  }
}

export function configure({ kept, values }: Reading) {
  const { CLIENTS_FILE: file, TOKEN_AUDIENCE: audience } = values
  const issuer = values.TOKEN_ISSUER ?? baseUrlOf(values)
  const { clients, mistakes, warnings } = goodOr(
    readClients(file, { audience, issuer }),
    kept.CLIENTS_FILE && { clients: kept.CLIENTS_FILE, mistakes: [], warnings: [] },
  )
  return { config: { clients: { file, atStart: clients } }, mistakes, warnings }
}
