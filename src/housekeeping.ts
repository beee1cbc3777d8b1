import type { Logger } from 'pino'

/** Work that nobody asks for: done again and again in small steps, a failure logged and retried. */
export interface Chore {
  readonly name: string
  readonly everyMs: number
  run(): Promise<unknown>
}

/** Starts the chores; the answer stops them and waits for those that are under way. */
export function startChores(chores: readonly Chore[], log: Logger): () => Promise<void> {
  const underWay = new Map<string, Promise<void>>()
  const timers = chores.map((chore) =>
    setInterval(() => {
      if (underWay.has(chore.name)) return
      const done = attempt(chore, log).finally(() => underWay.delete(chore.name))
      underWay.set(chore.name, done)
    }, chore.everyMs).unref(),
  )
  return async () => {
    for (const timer of timers) clearInterval(timer)
    await Promise.all(underWay.values())
  }
}

async function attempt({ name, run }: Chore, log: Logger): Promise<void> {
  try {
    await run()
  } catch (error) {
    log.error({ err: error, chore: name }, 'a chore failed and will be tried again')
  }
}
