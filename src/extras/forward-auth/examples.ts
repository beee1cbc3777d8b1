import type { CommandExamples, Examples } from '../../../test/example.ts'
import { forwarded } from '../../../test/forward.ts'
import { forwardFile } from '../../../test/forward-file.ts'
import { atHosts, hostsApp } from '../../../test/hosts.ts'

export const examples: Examples = {
  authorizeForwardedRequest: { bare: 400, make: () => ({ headers: forwarded() }) },
  '* /api/authz/forward': { bare: 400, make: () => ({ headers: forwarded() }) },
  '* /api/authz/forward/*': {
    bare: 400,
    make: () => ({ headers: forwarded({ uri: '/no/such' }) }),
  },
  'GET /.gatehouse/enter': {
    ...{ needs: 'flow', bare: 400, events: ['forward_session_created'] },
    make: async ({ sinks }) => {
      const app = await hostsApp({}, sinks && { sinks })
      const here = await atHosts(app, await app.account('ann'))
      const { host, pathname, search } = new URL(await here.ticketFor('https://wiki.example.org/'))
      const headers = { ...forwarded({ host }), cookie: here.browser.header, accept: 'text/html' }
      return { app, path: pathname + search, headers }
    },
  },
  'GET /.gatehouse/signout': {},
}

export const settings = () => ({
  TRUST_PROXY: '127.0.0.1',
  FORWARD_AUTH_FILE: forwardFile([{ hosts: ['wiki.example.org'], policy: 'bypass' }]),
})

export const commands: CommandExamples = {
  'forward check': {
    run: ({ run }) => {
      const rules = forwardFile([{ hosts: ['localhost'], policy: 'one_factor' }])
      return run('forward check http://localhost/', { env: { FORWARD_AUTH_FILE: rules } })
    },
  },
}
