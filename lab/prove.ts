import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { buildWebIfStale } from '../tools/build-web.ts'

// npm run prove -- <name> [its words] | list: each file of lab/prove/ that proves something is a program.
const names = globSync('*.ts', { cwd: join(import.meta.dirname, 'prove') })
  .map((file) => basename(file, '.ts'))
  .toSorted()
const [, , name = 'list', ...words] = process.argv
if (names.includes(name)) {
  await buildWebIfStale() // a proof starts the service from its sources
  process.argv = [...process.argv.slice(0, 2), ...words]
  await import(join(import.meta.dirname, 'prove', `${name}.ts`))
} else {
  process.stdout.write(`npm run prove -- ${names.join(' | ')}\n`)
  process.exitCode = name === 'list' ? 0 : 2
}
