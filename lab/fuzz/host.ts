import { modules } from '../../src/modules.ts'
import { start } from '../../src/start.ts'
import { type Injected, injectInto } from './inject.ts'
import { markServers } from './matched.ts'

/**
 * The service in its own process, with two additions: a header names the route of each answer, and
 * a message of the parent is a request without a socket.
 */
const { servers } = markServers()

process.on('message', async ({ number, request }: { number: number; request: Injected }) => {
  const [to] = servers
  if (!to) return
  const answer = await injectInto(to, request).catch((error: unknown) => String(error))
  process.send?.({ number, answer })
})

const more = process.env.FUZZ_MODULE ? [(await import(process.env.FUZZ_MODULE)).module] : []
delete process.env.FUZZ_MODULE
await start(process.env, [...modules, ...more])
