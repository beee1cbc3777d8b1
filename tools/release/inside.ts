import { run } from './stage.ts'
import { type Name, stages } from './stages.ts'

// In namespaces of its own: `release-check.ts` starts it.
const [name, folder = ''] = process.argv.slice(2)
// The first process of its namespace gets no signal that it does not handle.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
run('ip', ['link', 'set', 'lo', 'up'])
// what release-check.ts passes is a name of the list
process.stdout.write(`  ${await stages[name as Name].run(folder)}\n`)
process.exit(0)
