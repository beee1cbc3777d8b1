import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { removeCluster } from '../growth/store.ts'
import { installPeers, prepareService } from './install.ts'
import { stopGenerator } from './load.ts'
import { parts } from './parts/parts.ts'
import type { Figure } from './report/figure.ts'
import { type Ratios, ratiosOf, updated, verdicts } from './report/ratchet.ts'
import type { Plan } from './turns.ts'

// npm run bench -- --check [--update [--lower]]: exits 1 where a ratio fell by more than a tenth, 3 if the
// machine was disturbed, so that nothing is known.

const exitCodes = { fell: 1, disturbed: 3 }
const file = join(import.meta.dirname, 'ratchet.json')
const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    update: { type: 'boolean', default: false },
    lower: { type: 'boolean', default: false },
    trial: { type: 'boolean', default: false },
  },
})
const plan: Plan = {
  turns: 3,
  seconds: 0.5,
  only: 'SQLite',
  repeats: { leftMs: 15_000 },
  isTrial: values.trial,
  nodeOptions: [],
}

installPeers()
prepareService()
const figures: Figure[] = []
try {
  for (const [name, { run, isHeld }] of Object.entries(parts)) {
    if (!isHeld) continue
    process.stderr.write(`${name} ...\n`)
    figures.push(await run(plan))
  }
} finally {
  await stopGenerator()
  await removeCluster()
}
process.exit(values.trial ? show(figures) : judge(figures))

function judge(measured: readonly Figure[]): number {
  const disturbed = measured.filter((figure) => figure.disturbed !== undefined)
  for (const { name, disturbed: sentence } of disturbed) {
    process.stdout.write(`${name}: ${sentence}\n`)
  }
  if (disturbed.length > 0) {
    process.stdout.write('Nothing is known of the ratios; nothing was changed.\n')
    return exitCodes.disturbed
  }
  if (!values.update) return show(measured)
  const held = updated(read(), ratiosOf(measured), values.lower)
  writeFileSync(file, `${JSON.stringify(held, null, 2)}\n`)
  process.stdout.write(`${JSON.stringify(held, null, 2)}\n`)
  return 0
}

function show(measured: readonly Figure[]): number {
  const judged = verdicts(read(), ratiosOf(measured))
  for (const { name, held, now, fell } of judged) {
    process.stdout.write(
      `${fell ? 'FELL ' : 'ok   '} ${name.padEnd(32)} ${now.toFixed(3)}, held: ${held.toFixed(3)}\n`,
    )
  }
  return judged.some(({ fell }) => fell) ? exitCodes.fell : 0
}

function read(): Ratios {
  return JSON.parse(readFileSync(file, 'utf8'))
}
