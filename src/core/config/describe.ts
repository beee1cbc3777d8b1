import { asDocumented } from '../hints/command-line.ts'
import type { Setting } from './kinds.ts'
import type { ModuleSettings } from './load.ts'

/** Renders docs/configuration.md. */
export function describeSettings(tables: readonly ModuleSettings[]): string {
  const all = tables.flatMap(({ table }) => Object.entries(table))
  const rows = all.map(([name, setting]: [string, Setting<unknown>]) => {
    const shown = setting.shown === '' ? '(empty)' : setting.shown
    const value = /[` (,]/.test(shown) ? shown : `\`${shown}\``
    const file = setting.secret ? ` Or \`${name}_FILE\`.` : ''
    const former = setting.formerly ? ` Before 0.13.0: \`${setting.formerly}\`.` : ''
    return `| \`${name}\` | ${value} | ${setting.doc}${file}${former} |`
  })
  return [
    '# Configuration',
    '',
    'Settings come from the environment. All mistakes are listed at once, and the process exits with 1.',
    'A variable whose name is close to the name of a setting is reported: as a warning at the start, and by',
    '`gatehouse config check`, which exits with 1: `DATABASE_ULR: did you mean DATABASE_URL?`',
    'The name of a setting from before 0.13.0 works until 1.0, with a warning at the start.',
    'In the sources `npm start`, `npm run dev` and `npm run gatehouse` read a file `.env` too, unless NODE_ENV is',
    '`production`; the environment counts first. The file may have neither NODE_ENV nor MASTER_KEY.',
    'A secret can be read from a file: `NAME_FILE` names it. An empty variable counts as not set.',
    'This page is generated from the `settings.ts` of each module (`npm run docs`).',
    '',
    '| Setting | Default | Meaning |',
    '|---|---|---|',
    ...rows.map(asDocumented),
    '',
  ].join('\n')
}
