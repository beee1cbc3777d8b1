import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Guard, transact } from '../../core/database/transactions.ts'
import type { ApiError } from '../../core/errors.ts'
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

/** A proof that counts for one request only. */
export type Proof = 'assertion' | 'dpop'

/** Another request has come with the same assertion or proof. */
export class Replayed extends Error {
  readonly proof: Proof

  constructor(proof: Proof) {
    super('an assertion or a proof was used before')
    this.proof = proof
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
  /** What must stay recorded even if the rest is refused; false: another request was first. */
  readonly proofs: {
    readonly proof: Proof
    readonly store: (trx: DatabaseOrTransaction) => Promise<boolean>
  }[]
  /** The next proof that the library stores. */
  nextProof: Proof
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
  /** A refusal that the transaction has found: the transaction is committed all the same. */
  refusal: ApiError | null
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
    ...{ request, reply, writes: [], proofs: [], nextProof: 'dpop' },
    ...{
      applications: new Map(),
      pending: new Map(),
      rows: new Map(),
      batch: null,
      sessionId: null,
    },
    ...{
      expectedSession: undefined,
      userId: null,
      isReused: false,
      detail: null,
      thrown: null,
      refusal: null,
      shown: null,
    },
  }
}

export function within<T>(work: Work, run: () => Promise<T>): Promise<T> {
  return works.run(work, run)
}

type Deps = Pick<Needs, 'db' | 'events'>

/** Runs the library, and stores what it has to store. @throws as `run` and `commitWork` */
export async function perform(deps: Deps, work: Work, run: () => Promise<void>): Promise<void> {
  try {
    await within(work, run)
  } catch (error) {
    await keepAfter(error, deps, work.proofs)
    throw error
  }
  await commitWork(deps, work)
}

/**
 * Stores everything of the request at once. @throws EndedMeanwhile; AlreadyUsed, after the end of
 * the grant is stored; Replayed
 */
export async function commitWork(
  deps: Deps,
  { proofs, writes }: Work,
  guard?: Guard,
): Promise<void> {
  if (writes.length + proofs.length === 0) return
  const store: Write = async (trx) => {
    for (const { proof, store } of proofs) if (!(await store(trx))) throw new Replayed(proof)
    for (const write of writes) await write(trx)
  }
  try {
    await transact(deps.db, [], store, guard)
  } catch (error) {
    await keepAfter(error, deps, proofs)
    throw isForeignKeyViolation(error) ? new EndedMeanwhile('', { cause: error }) : error
  }
}

/** A refused request keeps its proofs used; the loser of a race for a grant ends the grant. */
async function keepAfter(
  error: unknown,
  { db, events }: Deps,
  proofs: Work['proofs'],
): Promise<void> {
  const used = error instanceof AlreadyUsed ? error.used : null
  const grantId = used?.grantId ?? null
  if (proofs.length === 0 && grantId === null) return
  await transact(db, [], async (trx) => {
    for (const { store } of proofs) await store(trx)
    if (!used || grantId === null) return
    const { client, user_id } = used
    await artifactStore(trx).removeGrant(grantId)
    await events.emitInTransaction(trx, tokenReused, { user_id, client })
  })
}

function isForeignKeyViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return /foreign key/i.test(error.message) || isForeignKeyViolation(error.cause)
}
