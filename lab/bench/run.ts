import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { removeCluster } from '../growth/store.ts'
import { installPeers, prepareService } from './install.ts'
import { stopGenerator } from './load.ts'
import { commit, machine } from './machine.ts'
import { parts } from './parts/parts.ts'
import type { Report } from './report/figure.ts'
import { page, reportFor, withFigure } from './report/page.ts'
import { svg } from './report/svg.ts'
import { table } from './report/table.ts'
import type { Plan } from './turns.ts'

// npm run bench -- [part ...] [--whole] [--trial] [--turns=n] [--seconds=n] [--node-option=...]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    whole: { type: 'boolean', default: false },
    trial: { type: 'boolean', default: false },
    turns: { type: 'string' },
    seconds: { type: 'string' },
    // For the service's own Node, for instance --node-option=--cpu-prof.
    'node-option': { type: 'string', multiple: true, default: [] },
  },
})
const unknown = positionals.filter((name) => !(name in parts))
const [turns, seconds] = [
  Number(values.turns ?? (values.whole ? 9 : 5)),
  Number(values.seconds ?? (values.whole ? 3 : 0.6)),
]
if (unknown.length > 0 || !Number.isInteger(turns) || turns < 1 || !(seconds > 0)) {
  process.stderr.write(
    unknown.length > 0
      ? `no such part: ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}\n`
      : '--turns takes a whole number from 1, --seconds a number above 0\n',
  )
  process.exit(2)
}
const plan: Plan = {
  turns,
  seconds,
  isTrial: values.trial,
  repeats: { leftMs: (values.whole ? 10 : 1.5) * 60_000 },
  nodeOptions: values['node-option'],
}
const docs = values.trial
  ? mkdtempSync(join(tmpdir(), 'gatehouse-bench-trial-'))
  : join(import.meta.dirname, '../../docs')
const folder = join(docs, 'benchmarks')
mkdirSync(folder, { recursive: true })

installPeers()
prepareService()
let report = reportFor(machine(), known())
const startedAt = performance.now()
try {
  for (const [name, { run, isLong }] of Object.entries(parts)) {
    const isAsked = positionals.includes(name)
    if (positionals.length > 0 ? !isAsked : isLong && !values.whole) continue
    process.stderr.write(`${name} ...\n`)
    const figure = { ...(await run(plan)), commit: commit() }
    report = withFigure(report, figure, Object.keys(parts))
    write()
    process.stdout.write(`\n${figure.title}\n${figure.disturbed ?? table(figure)}\n`)
  }
} finally {
  await stopGenerator()
  await removeCluster()
}
const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1)
process.stdout.write(`\n${minutes} minutes; ${join(docs, 'benchmarks.md')}\n`)
process.exit(0)

function known(): Report | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'figures.json'), 'utf8'))
  } catch {
    return undefined
  }
}

/** After each part, so that a run that ends early has not measured for nothing. */
function write(): void {
  writeFileSync(join(folder, 'figures.json'), `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(join(docs, 'benchmarks.md'), page(report))
  for (const figure of report.figures) {
    writeFileSync(join(folder, `${figure.name}.svg`), svg(figure))
  }
}
