import { steppingClock } from '../../../test/clock.ts'
import type { CommandExamples, Examples } from '../../../test/example.ts'
import { rotatingApp } from '../../../test/master-key-rotation.ts'

export const examples: Examples = {
  listKeys: {},
  rotateKey: {
    events: ['key_rotated'],
    make: () => ({ json: { purpose: 'refresh' } }),
  },
  retireKey: {
    events: ['key_retired'],
    make: async ({ app, admin }) => {
      const json = { purpose: 'refresh', at_once: true }
      const { body } = await app.call('POST', '/api/admin/keys/rotate', { headers: admin, json })
      app.clock.advance(3)
      return { params: { kid: body.before } }
    },
  },
}

export const commands: CommandExamples = {
  'keys list': {},
  'keys rotate': { events: ['key_rotated'] },
  'keys rotate-master': {
    events: ['master_key_rotated'],
    run: async ({ app, run }) => {
      const { directory, env } = await rotatingApp()
      return run('keys rotate-master', { env, clock: steppingClock(app.clock) }, directory)
    },
  },
  'keys retire': {
    events: ['key_retired'],
    run: async ({ app, run, output }) => {
      const now = { clock: steppingClock(app.clock) }
      await output('keys rotate --now', now)
      const rotated = JSON.parse(await output('keys rotate --now --json', now))
      return run(`keys retire ${rotated.verifies}`)
    },
  },
}
