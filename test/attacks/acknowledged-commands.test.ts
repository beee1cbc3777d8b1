// A database makes a difference: a command and a node share it.
import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { suite, test } from 'node:test'
import { main } from '../../src/cli/run.ts'
import { coordinationMs } from '../../src/core/database/postgres/node-ends.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { steppingClock } from '../clock.ts'
import { databaseSettings, postgresOnly } from '../database.ts'
import { assertEnded, type Ended, kidOf, type Made, twoNodes } from '../two-nodes.ts'
import { runJob } from '../webhook-sending.ts'

suite('what a command ends is refused at a node when the command is done', async () => {
  const nodes = await twoNodes()
  const { one, two, clock } = nodes
  const stepping = {
    now: clock.now,
    async wait(milliseconds: number) {
      for (const node of [one, two]) await runJob(node, 'keys of other processes')
      await steppingClock(clock).wait(milliseconds)
    },
  }
  const command = (words: (made: Made) => string) => async (made: Made) => {
    const { code, stderr } = await gatehouse(one.directory, words(made), { clock: stepping })
    assert.equal(code, 0, stderr)
    return { status: 200, text: stderr }
  }

  const kinds: readonly (readonly [string, (made: Made) => Promise<Ended>, string])[] = [
    ['command: account lock', command(({ who }) => `account lock ${who.username}`), ''],
    ['command: account disable', command(({ who }) => `account disable ${who.username}`), ''],
    [
      'command: account roles',
      command(({ who }) => `account roles ${who.username} EDITOR`),
      'session host external',
    ],
    [
      'command: account password',
      command(({ who }) => `account password ${who.username} --generate`),
      '', // it must be changed
    ],
    ['command: account delete', command(({ who }) => `account delete ${who.username} --yes`), ''],
    ['command: user delete', command(({ who }) => `user delete ${who.userId} --yes`), ''],
    ['command: session end', command(({ who }) => `session end ${who.username}`), 'external'],
    [
      'command: keys retire',
      async (made) => {
        await command(() => 'keys rotate --now')(made)
        return command(() => `keys retire ${kidOf(made)}`)(made)
      },
      'session host external',
    ],
  ]

  for (const [what, end, left] of kinds) test(what, () => assertEnded(nodes, { what, end, left }))

  postgresOnly('it says so when no node can have a lease from before', async () => {
    const { who } = await nodes.make()
    const stdout = new PassThrough()
    let saidAt = 0
    stdout.on('data', () => {
      // biome-ignore lint/plugin: a lower bound: a busy machine takes longer
      saidAt = performance.now()
    })
    // biome-ignore lint/plugin: a lower bound: a busy machine takes longer
    const begunAt = performance.now()
    const ended = main(['account', 'lock', who.username], {
      ...{ stdin: Readable.from([]), stdout, stderr: new PassThrough() },
      env: { NODE_ENV: 'test', ...(await databaseSettings(one.directory)) },
    })
    assert.equal(await ended, 0)
    assert.ok(saidAt >= begunAt + coordinationMs, String(saidAt - begunAt))
  })
})
