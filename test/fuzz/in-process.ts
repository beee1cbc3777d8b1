import assert from 'node:assert/strict'
import { injected, injectInto } from '../../lab/fuzz/inject.ts'
import { markServers } from '../../lab/fuzz/matched.ts'
import { type FuzzedService, settingsOfRuns } from '../../lab/fuzz/service.ts'
import { exchange, type Sent } from '../../lab/fuzz/sockets.ts'
import { type Concrete, written } from '../../lab/fuzz/twists.ts'
import { openApiOf } from '../../src/core/http/documents/openapi.ts'
import type { Module } from '../../src/core/module/module.ts'
import { secretFields } from '../../src/core/module/registry.ts'
import { createLog } from '../../src/core/runtime/deps.ts'
import { modules as ours } from '../../src/modules.ts'
import { testApp } from '../app.ts'
import { recordsAfter } from '../audit.ts'
import { clientsFile, entry, secretOf } from '../clients.ts'
import { takeMistakes } from '../openapi/answers.ts'
import type { ApiDocument } from '../openapi/operations.ts'

const providerSecret = 'provider-secret-of-the-fuzzed-service-0123'
// The server answers in the same turn of the loop, or waits for more.
const silenceMs = 10

/** The service in this process, on the clock and the generator of the tests. */
export async function startInProcess(modules: readonly Module[] = ours): Promise<FuzzedService> {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line.replace(/\n$/, '')) }
  const client = { id: 'fuzz', secret: secretOf('fuzz') }
  const marked = markServers()
  const env = {
    ...settingsOfRuns,
    CLIENTS_FILE: clientsFile([entry(client.id)]),
    OIDC_CLIENT_SECRET: providerSecret,
  }
  const log = createLog('info', { destination, secretFields: secretFields(modules) })
  const app = await testApp(env, { modules, deps: { log } })
  marked.stop()
  const { port } = await app.listen()
  const { paths, components } = openApiOf(app.app.server)
  const document: ApiDocument = JSON.parse(JSON.stringify({ paths, components }))

  async function inject(request: Concrete, hangMs: number): Promise<Sent> {
    let timer: NodeJS.Timeout | undefined
    const hang = new Promise<Sent>((resolve) => {
      // biome-ignore lint/plugin: a minute, for what hangs
      timer = setTimeout(() => resolve({ answers: [], fault: `no end after ${hangMs} ms` }), hangMs)
    })
    const answer = injectInto(app.app.server, injected(request)).then(
      (one): Sent => ({ answers: [one], fault: null }),
      (error: unknown): Sent => ({ answers: [], fault: String(error) }),
    )
    const sent = await Promise.race([answer, hang])
    clearTimeout(timer)
    return sent
  }

  return {
    document,
    keeper: app.admin,
    client,
    secrets: [app.admin.password, client.secret, providerSecret],
    now: app.clock.now,
    async send(request, { twist, isInjected, hangMs }) {
      const sent = isInjected
        ? await inject(request, hangMs)
        : await exchange(port, written(request, twist), { hangMs, silenceMs })
      return { ...sent, mistakes: takeMistakes() }
    },
    takeLog: () => lines.splice(0),
    async tables() {
      await app.app.jobs.find(({ name }) => name === 'audit records')?.run()
      const opened = await recordsAfter(app.deps, 0)
      assert.ok(opened.length > 0)
      const rows = { ...(await app.rows()), 'audit_records, opened': opened }
      return new Map(Object.entries(rows).map(([name, all]) => [name, JSON.stringify(all)]))
    },
    ended: () => null,
    close: app.close,
  }
}
