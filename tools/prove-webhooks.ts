import { startCluster } from '../test/faults/cluster.ts'
import { killWebhooks, type WebhookFigures } from '../test/faults/webhook-kills.ts'

/**
 * Kills the sender and the receiver of webhooks under load, on both databases: each event arrives,
 * with its id, in the order of its account. `npm run prove:webhooks [rounds]`.
 */
const rounds = Number(process.argv[2] ?? 10)
const changes = 200
let missed = 0

print(`SQLite: ${rounds} kills of each`)
report(await killWebhooks({ rounds, changes }))
const cluster = await startCluster()
try {
  print(`\nPostgreSQL: ${rounds} kills of each`)
  report(await killWebhooks({ rounds, changes, cluster }))
} finally {
  await cluster.remove()
}
print(missed === 0 ? '\nPASS' : `\nFAIL: ${missed} goals missed`)
process.exit(missed === 0 ? 0 : 1)

function report(figures: WebhookFigures): void {
  const { acknowledged, events, again, settledMs } = figures
  print(`  ${acknowledged} acknowledged changes, ${events} events`)
  goal('acknowledged changes without an event', Math.max(0, acknowledged - events), 0)
  goal('events that did not arrive', figures.missing.length, 0)
  goal('arrivals with another webhook-id or body', figures.changed.length, 0)
  goal('events out of the order of their account', figures.outOfOrder.length, 0)
  print(
    `  arrived more than once: ${again}; all had arrived ${Math.round(settledMs)} ms after the load`,
  )
}

function goal(what: string, figure: number, most: number): void {
  if (figure > most) missed += 1
  print(`  ${figure <= most ? 'ok    ' : 'MISSED'} ${what}: ${figure} (goal: ${most})`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
