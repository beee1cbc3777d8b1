import type { Someone, TestApp } from '../../../test/app.ts'
import {
  belowBothAccounts,
  type CommandExamples,
  type CommandWorld,
  type Examples,
} from '../../../test/example.ts'

export async function otherSession(app: TestApp, who: Someone): Promise<string> {
  const headers = await app.session(who)
  const sessions = (await app.call('GET', '/api/account/sessions', { headers })).body
  return sessions.find(({ current }: { current: boolean }) => current).id
}

export const examples: Examples = {
  ...belowBothAccounts({
    listOwnSessions: {},
    endOwnSession: {
      needs: 'fresh',
      events: ['session_ended'],
      make: async ({ app }, { who }) => ({ params: { id: await otherSession(app, who) } }),
    },
    endOtherSessions: { needs: 'fresh', ends: true, events: ['session_ended'] },
  }),
  logOut: [
    { ends: true },
    {
      events: ['session_ended'],
      make: async ({ app, newAccount }) => {
        const { cookie } = await app.session(await newAccount())
        return { headers: { cookie } }
      },
    },
    {
      events: ['authn_token_revoked'],
      make: async ({ app, newAccount }) => {
        const { access_token, refresh_token } = await app.pair(await newAccount())
        return { headers: { authorization: `Bearer ${access_token}` }, json: { refresh_token } }
      },
    },
  ],
  getSession: {},
  getGreeting: {},
  transfer: { events: ['sensitive_update'], commit: null, make: () => ({ json: {} }) },
  listSessions: { make: ({ owner }) => ({ params: { username: owner.username } }) },
  endSessions: {
    events: ['session_ended'],
    make: async ({ newAccount }) => ({ params: { username: (await newAccount()).username } }),
  },
}

const ofNewOne =
  (words: string) =>
  async ({ run, newAccount }: CommandWorld) =>
    run(`session ${words} ${(await newAccount()).username}`)

export const commands: CommandExamples = {
  'session list': { run: ofNewOne('list') },
  'session end': { events: ['session_ended'], run: ofNewOne('end') },
}
