// A database makes a difference: every route and command runs its statements once.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { RecordedEvent } from '../../src/core/events/events.ts'
import { testApp } from '../app.ts'
import { gatehouse, type Surroundings } from '../cli/gatehouse.ts'
import { eventsIn } from '../example.ts'
import {
  commandExamples,
  exampleSettings,
  send,
  sendersOf,
  shownRoutes,
  worldOf,
} from '../examples.ts'
import { clockOfToday } from '../identity-provider.ts'

const other = 'harbour violet 88 anthem'

suite('which events a request records', async () => {
  const told: RecordedEvent[] = []
  const sinks = { inside: [], afterCommit: [(event: RecordedEvent) => void told.push(event)] }
  // Time moves on between two mails to one address.
  const settings = { ...(await exampleSettings()), REAUTHENTICATE_SECONDS: '86400' }
  const app = await testApp(settings, { sinks, clock: clockOfToday() })
  const world = await worldOf(app, sinks)
  const senderOf = await sendersOf(world)

  for (const route of shownRoutes(app)) {
    for (const [index, { events = [], make }] of route.all.entries()) {
      test(`${route.name} (${index + 1}): ${events.join(', ') || 'none'}`, async () => {
        const caller = await senderOf(route)
        const made = (await make?.(world, caller)) ?? {}
        told.length = 0
        const { status, text } = await send(app, route, made, caller)
        assert.ok([route.success, '303'].includes(String(status)), `${status} ${text}`)
        assert.deepEqual(told.map(({ type }) => type.name).toSorted(), events.toSorted())
      })
    }
  }

  test('the first administrator is made by the bootstrap', async () => {
    told.length = 0
    await testApp({}, { sinks })
    assert.deepEqual(
      told.map(({ type, payload, context }) => [type.name, payload.username, context.by]),
      [['user_created', 'admin', 'bootstrap']],
    )
  })

  test('what jobs do leaves the events of the same change', async () => {
    const auto = await testApp({ KEY_ROTATION_DAYS: '1' }, { sinks })
    auto.clock.advance(86_400)
    told.length = 0
    for (const job of auto.app.jobs) await job.run()
    assert.deepEqual(
      told.map(({ type, context }) => [type.name, context.by]),
      [
        ['key_rotated', 'job'], // of access tokens, and of refresh tokens
        ['key_rotated', 'job'],
        ['audit_erasures_counted', 'job'],
      ],
    )
  })
})

suite('which events a command records', async () => {
  const app = await testApp({}, { clock: clockOfToday() })
  const admin = await app.bearer(app.admin)

  /** Runs a command, which succeeds; answers its output, and the events among the lines of its log. */
  async function resultOf(words: string, more: Surroundings = {}, directory = app.directory) {
    const given = { clock: app.clock, ...more }
    const { code, stdout, stderr } = await gatehouse(directory, `${words} --verbose`, given)
    assert.equal(code, 0, stderr)
    return { stdout, events: eventsIn(stderr) }
  }
  const world = {
    ...(await worldOf(app)),
    run: async (...given: Parameters<typeof resultOf>) => (await resultOf(...given)).events,
    output: async (...given: Parameters<typeof resultOf>) => (await resultOf(...given)).stdout,
  }
  const { run } = world
  const name = async () => (await world.newAccount()).username

  for (const [words, { events = [], run: happen }] of Object.entries(commandExamples)) {
    test(`${words}: ${events.join(', ') || 'none'}`, async () => {
      const lines = await (happen ? happen(world) : run(words))
      const recorded = (lines as Line[]).filter(({ by }) => by !== 'job') // a start runs jobs at any moment
      assert.deepEqual(
        recorded.map(({ event }) => event),
        events,
      )
      if (words !== 'start') assert.ok((lines as Line[]).every(({ by }) => by === 'cli'))
    })
  }

  test('deletion: HTTP and the command line leave the same event', async () => {
    const [one, two] = [await name(), await name()]
    app.log.length = 0
    const path = `/api/admin/accounts/${one}`
    assert.equal((await app.call('DELETE', path, { headers: admin })).status, 200)
    const strip = ({ time, by, address, scheme, request_id, user_id, username, ...rest }: Line) =>
      rest
    const events = await run(`account delete ${two} --yes`)
    assert.deepEqual((events as Line[]).map(strip), (app.log as Line[]).map(strip))
  })

  const json = (who: string, more: object) => [`/api/admin/accounts/${who}`, more] as const
  for (const [what, words, request] of [
    ['roles', 'account roles NAME EDITOR', (who: string) => json(who, { roles: ['EDITOR'] })],
    ['a lock', 'account lock NAME', (who: string) => json(who, { locked: true })],
    ['an end of use', 'account disable NAME', (who: string) => json(who, { active: false })],
    [
      'a password',
      'account password NAME --password-stdin',
      (who: string) => json(who, { password: other }),
    ],
  ] as const) {
    test(`${what}: HTTP and the command line leave the same event`, async () => {
      const [one, two] = [await name(), await name()]
      app.log.length = 0
      const [path, body] = request(one)
      assert.equal((await app.call('PUT', path, { headers: admin, json: body })).status, 200)
      const strip = ({ time, by, address, scheme, request_id, user_id, username, ...rest }: Line) =>
        rest
      const events = await run(words.replace('NAME', two), { stdin: `${other}\n` })
      assert.deepEqual((events as Line[]).map(strip), (app.log as Line[]).map(strip))
    })
  }
})

type Line = Record<string, unknown>
