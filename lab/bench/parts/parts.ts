import type { Figure } from '../report/figure.ts'
import type { Plan } from '../turns.ts'

interface Part {
  /** Loads its file when it runs. */
  readonly run: (plan: Plan) => Promise<Figure>
  /** Left out of the quick run. */
  readonly isLong?: boolean
  /** Its ratios come from ratchet.json. */
  readonly isHeld?: boolean
}

/** In the order of the document. */
export const parts: Readonly<Record<string, Part>> = {
  reads: { run: async (plan) => (await import('./reads.ts')).reads(plan), isHeld: true },
  forward: { run: async (plan) => (await import('./forward.ts')).forward(plan), isHeld: true },
  peers: { run: async (plan) => (await import('./peers.ts')).peers(plan) },
  unseen: { run: async (plan) => (await import('./unseen.ts')).unseen(plan), isHeld: true },
  refresh: { run: async (plan) => (await import('./refresh.ts')).refresh(plan), isHeld: true },
  provider: { run: async (plan) => (await import('./provider.ts')).provider(plan) },
  logins: { run: async (plan) => (await import('./logins.ts')).logins(plan), isHeld: true },
  writes: { run: async (plan) => (await import('./writes.ts')).writes(plan), isHeld: true },
  growth: { run: async (plan) => (await import('./growth.ts')).growth(plan) },
  workers: { run: async (plan) => (await import('./workers.ts')).workers(plan), isHeld: true },
  latency: { run: async (plan) => (await import('./latency.ts')).latency(plan) },
  start: { run: async (plan) => (await import('./start.ts')).start(plan) },
  console: { run: async (plan) => (await import('./console.ts')).console(plan) },
  accounts: { run: async (plan) => (await import('./accounts.ts')).accounts(plan), isLong: true },
}
