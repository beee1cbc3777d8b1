import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Guard, transact } from '../../core/database/transactions.ts'
import type { Needs } from '../../core/module/services.ts'
import type { Application } from '../../modules/clients/application.ts'
import { tokenReused } from './events.ts'
import { type Artifact, artifactStore, type NewArtifact } from './store.ts'

export type Write = (trx: DatabaseOrTransaction) => Promise<void>

/** What the protocol answers and shows of a failure. RFC 6749 section 5.2 */
export interface ProtocolError {
  readonly error: string
  readonly error_description?: string
}

/** Another request has used the code or token first: what came of its grant ends. */
export class AlreadyUsed extends Error {
  readonly used: Used

  constructor(used: Used) {
    super('a code or token was used before')
    this.used = used
  }
}

/** What a code or token was for. */
export interface Used {
  /** Null: it has no grant. */
  readonly grantId: string | null
  readonly user_id: number | null
  readonly client: string
}

/** The session or account of the request has ended since the request read it. */
export class EndedMeanwhile extends Error {}

/**
 * The work of one request of the protocol: what the library stores waits for the end of the
 * request, and is committed as one transaction.
 */
export interface Work {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly writes: Write[]
  /** The applications that the library has read, by id. */
  readonly applications: Map<string, Application>
  /** Payloads by the digest of their ids, as they will be stored; null: removed. */
  readonly pending: Map<string, Readonly<Record<string, unknown>> | null>
  /** What the library has read, by id. */
  readonly rows: Map<string, Artifact>
  /** Rows that the latest write stores, which may get more. */
  batch: { readonly rows: Map<string, NewArtifact>; readonly write: Write } | null
  /** The session of ours that this request depends on. */
  sessionId: string | null
  /** The only session of ours that may continue; undefined: any. */
  expectedSession: string | undefined
  /** The user whom the request concerns, for the event. */
  userId: number | null
  /** A code or token came a second time, and the library ends its grant. */
  isReused: boolean
  /** Why the library refuses, for operators. */
  detail: string | null
  /** A refusal of ours that the library would turn into another error. */
  thrown: unknown
  /** What the error page shows. */
  shown: ProtocolError | null
}

const works = new AsyncLocalStorage<Work>()

export function workNow(): Work {
  const work = works.getStore()
  if (!work) throw new Error('the library works outside of a request')
  return work
}

export function beginWork(request: FastifyRequest, reply: FastifyReply): Work {
  return {
    ...{ request, reply, writes: [], applications: new Map(), pending: new Map() },
    ...{ rows: new Map(), batch: null, sessionId: null },
    ...{
      expectedSession: undefined,
      userId: null,
      isReused: false,
      detail: null,
      thrown: null,
      shown: null,
    },
  }
}

export function within<T>(work: Work, run: () => Promise<T>): Promise<T> {
  return works.run(work, run)
}

/**
 * Stores everything of the request at once. @throws EndedMeanwhile; AlreadyUsed, after the end of
 * the grant is stored
 */
export async function commitWork(
  { db, events }: Pick<Needs, 'db' | 'events'>,
  { writes }: Work,
  guard?: Guard,
): Promise<void> {
  if (writes.length === 0) return
  try {
    const store: Write = async (trx) => {
      for (const write of writes) await write(trx)
    }
    await transact(db, [], store, guard)
  } catch (error) {
    if (error instanceof AlreadyUsed && error.used.grantId !== null) {
      const { grantId, ...of } = error.used
      await transact(db, [], async (trx) => {
        await artifactStore(trx).removeGrant(grantId)
        await events.emitInTransaction(trx, tokenReused, of)
      })
    }
    throw isForeignKeyViolation(error) ? new EndedMeanwhile('', { cause: error }) : error
  }
}

function isForeignKeyViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return /foreign key/i.test(error.message) || isForeignKeyViolation(error.cause)
}
