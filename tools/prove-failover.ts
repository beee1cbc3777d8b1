import { type FailoverFigures, failOver } from '../test/faults/failovers.ts'

/**
 * Measures a failover to a replica of PostgreSQL under load: lost and undecided changes, and its
 * duration. `npm run prove:failover [rounds]`.
 */
const rounds = Number(process.argv[2] ?? 5)
const changes = 300
let missed = 0

print('synchronous: a commit waits for the replica')
const synchronous = await run({ isSynchronous: true })
goal('acknowledged changes lost', count(synchronous, 'lost'), 0)
goal('ended tokens that are good again', count(synchronous, 'revived'), 0)

const unheardMs = 500
print(`\nasynchronous: the replica has heard nothing for the last ${unheardMs} ms`)
const asynchronous = await run({ isSynchronous: false, unheardMs })
print(`  acknowledged changes lost: ${count(asynchronous, 'lost')}`)
print(`  half, or an id given twice: ${count(asynchronous, 'half')}`)
goal('ended tokens that are good again', count(asynchronous, 'revived'), 0)
// Lost revocations are printed only if there are any.
print(`  rounds in which a node told of it: ${asynchronous.filter(({ told }) => told > 0).length}`)

print(missed === 0 ? '\nPASS' : `\nFAIL: ${missed} goals missed`)
process.exit(missed === 0 ? 0 : 1)

async function run(how: { isSynchronous: boolean; unheardMs?: number }) {
  const figures: FailoverFigures[] = []
  for (let round = 0; round < rounds; round += 1) figures.push(await failOver({ ...how, changes }))
  const acknowledged = figures.reduce((sum, each) => sum + each.acknowledged, 0)
  const times = figures.map(({ readyMs }) => readyMs).sort((a, b) => a - b)
  print(`  ${rounds} failovers, ${acknowledged} acknowledged changes`)
  print(`  ms from the kill until both nodes were ready: ${times.map(Math.round).join(', ')}`)
  goal('acknowledged changes lost on the new primary', count(figures, 'lostAfterwards'), 0)
  if (how.isSynchronous) goal('half, or an id given twice', count(figures, 'half'), 0)
  goal(
    'exits',
    figures.reduce((sum, { exited }) => sum + exited, 0),
    0,
  )
  const onStandby = new Set(figures.map(({ onStandby: each }) => JSON.stringify(each)))
  print(`  a node on a standby answers ${[...onStandby].join(' ')}`)
  goal(
    'ready, or a change done, on a standby',
    figures.filter(({ onStandby: { ready, change } }) => ready !== 503 || change !== 503).length,
    0,
  )
  for (const each of figures.flatMap(({ revived, lostAfterwards }) => [
    ...revived,
    ...lostAfterwards,
  ]))
    print(`    ${each}`)
  return figures
}

function count(
  figures: readonly FailoverFigures[],
  what: 'lost' | 'half' | 'revived' | 'lostAfterwards',
): number {
  return figures.reduce((sum, each) => sum + each[what].length, 0)
}

function goal(what: string, figure: number, most: number): void {
  if (figure > most) missed += 1
  print(`  ${figure <= most ? 'ok    ' : 'MISSED'} ${what}: ${figure} (goal: ${most})`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
