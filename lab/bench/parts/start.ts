import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../../tools/free-port.ts'
import { send } from '../load.ts'
import { known, residentMegabytes, startCommand } from '../processes.ts'
import type { Figure } from '../report/figure.ts'
import { type Contender, linesOf, type Plan, takeTurns } from '../turns.ts'
import { type Seeded, seeded, sessionOf, userIds } from './seeded.ts'

const reads = 100_000

const about = `Milliseconds from the start of a process until its port answers \`GET /health/ready\` with 200, asked every 2 ms, with 100,000 users on
SQLite, the bundle that the installation makes and a warm compile cache: \`node\` as \`npm start\` runs it, \`npm start\` itself, and \`node\` with a bare
server of one line. Memory is resident (RSS) after 100,000 reads: \`/api/me\`, \`/api/protected\` and \`/users/{id}\` in
turn, with a process that has just started.`

export async function start(plan: Plan): Promise<Figure> {
  const data = await seeded(plan, 'SQLite', 100_000)
  const root = join(import.meta.dirname, '../../..')
  const { command, environment } = startCommand
  const env = (port: number) => ({
    ...process.env,
    ...environment,
    ...data.store.settings,
    LOG_LEVEL: 'warn',
    PORT: String(port),
  })
  const bare = (port: number) =>
    `require('node:http').createServer((q, r) => r.end()).listen(${port}, '127.0.0.1')`
  const contenders: Contender[] = [
    starting('node, 100,000 users', (port) =>
      spawn(process.execPath, command, { cwd: root, env: env(port), stdio: 'ignore' }),
    ),
    starting('npm start, 100,000 users', (port) =>
      spawn('npm', ['start'], { cwd: root, env: env(port), stdio: 'ignore' }),
    ),
    starting(
      'node, a bare server',
      (port) => spawn(process.execPath, ['-e', bare(port)], { stdio: 'ignore' }),
      true,
    ),
  ]
  const { samples, about: taken } = await takeTurns(plan, contenders, 'node, a bare server')
  const megabytes = await memoryAfterReads(data)
  await data.close()
  return {
    name: 'start',
    title: 'Start, and memory after 100,000 reads',
    about,
    unit: 'ms',
    lines: [
      ...linesOf(contenders, samples, {
        'node, 100,000 users': [{ to: 'itself', atMost: 300 }],
      }),
      {
        what: 'memory after 100,000 reads',
        values: [megabytes],
        unit: 'MB',
        comparisons: [{ to: 'itself', values: [megabytes], atMost: 110 }],
      },
    ],
    ...taken,
  }
}

function starting(
  name: string,
  run: (port: number) => ReturnType<typeof spawn>,
  isPeer = false,
): Contender {
  return {
    name,
    isPeer,
    async run() {
      const port = await freePort()
      const startedAt = performance.now()
      const child = run(port)
      const exited = once(child, 'exit')
      known(child)
      while (!(await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null))?.ok) {
        if (child.exitCode !== null) throw new Error(`${name}: ended with ${child.exitCode}`)
        await wait(2)
      }
      const rate = performance.now() - startedAt
      await wait(300) // what it still does, such as writing its compile cache
      child.kill('SIGTERM')
      await exited
      return { rate }
    },
  }
}

async function memoryAfterReads(data: Seeded): Promise<number> {
  const service = await data.start()
  const session = await sessionOf(service)
  const requests = userIds.flatMap((id) => [
    { path: '/api/me', headers: service.bearer },
    { path: '/api/protected', headers: session },
    { path: `/users/${id}`, headers: service.bearer },
  ])
  await send(service, { requests, count: reads }, 120)
  const { now } = residentMegabytes(service.pid)
  await service.stop()
  return now
}
