import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { assertMayAppoint } from '../accounts/new-administrator.ts'
import type { Config } from '../config/load.ts'
import type { Database } from '../database/database.ts'
import type { Guard } from '../database/transactions.ts'
import type { Events } from '../events/events.ts'
import { acceptLines, lineContentType, longBody } from '../http/routes/long-bodies.ts'
import { stillAllowed } from '../http/routes/still-allowed.ts'
import type { SchemaTypes, Static } from '../http/schemas.ts'
import { inTurn } from '../http/server/bulk-answers.ts'
import type { Clock } from '../kernel/clock.ts'
import { ApiError, refuseField } from '../kernel/errors.ts'
import { role } from '../policy/rules.ts'
import { exportAccounts } from './export.ts'
import type { ImportReport, Imports } from './import.ts'
import { ExportLine, ImportBody, ImportLine } from './schemas.ts'

/** Accounts by the thousand, as lines of JSON: /api/admin/import, /api/admin/export. Role ADMIN. */
export interface TransferRoutesOptions {
  readonly config: Pick<Config, 'login'>
  readonly clock: Clock
  readonly db: Database
  readonly events: Events
  readonly imports: Imports
}

const access = { rule: role('ADMIN') }

/** So long may an import take, from its header to its last step. */
const maxImportMs = 1_800_000

const ImportQuery = {
  type: 'object',
  properties: {
    dry_run: { type: 'string', description: '`true` finds every mistake and changes nothing' },
  },
} as const

export async function transferRoutes(
  instance: FastifyInstance,
  options: TransferRoutesOptions,
): Promise<void> {
  const { clock, db, events, imports } = options
  const app = instance.withTypeProvider<SchemaTypes>()
  acceptLines(instance)

  app.post(
    '/api/admin/import/accounts',
    {
      config: {
        access,
        reauthentication: 'conditional', // an ADMIN is among the accounts
        body: 'lines',
        line: { body: ImportLine },
        query: ImportQuery,
        errors: ['validationFailed', 'requestTimeout'],
      },
      schema: { summary: 'Import accounts, all of them or none', response: { 200: ImportBody } },
    },
    async (request, reply) => {
      const startedAt = clock.now() // who was let in then is, however long the lines take to come
      const atStart = { ...options, clock: { now: () => startedAt } }
      const endsAt = startedAt + maxImportMs
      try {
        const report = await imports.run(longBody(request, clock, endsAt), {
          dryRun: isDryRun(request.query),
          guard: until(endsAt, stillAllowed(request)),
          assertMayGive: (roles) => assertMayAppoint(request, atStart, { roles }),
        })
        if (!report.dryRun && report.errorsTotal > 0) throw refused(report)
        return showImport(report)
      } catch (error) {
        // Of a body that was not read to its end nothing must be taken for the next request.
        if (!request.raw.complete) reply.header('connection', 'close')
        throw error
      }
    },
  )

  app.get(
    '/api/admin/export/accounts',
    {
      config: { access, line: { answer: ExportLine } },
      schema: { summary: 'Every account, without its password hash' },
    },
    async (request, reply) => {
      reply.header('content-type', lineContentType)
      if (request.method === 'HEAD') return reply.send()
      const lines = exportAccounts(
        { db, events },
        {
          withHashes: false,
          judge: async () => stillAllowed(request)?.now(),
          makeBatch: inTurn(request, reply, { mayBeRefused: true }),
        },
      )
      const first = await lines.next() // before anything is answered: a failure here can still be told
      return reply.send(
        Readable.from(following(first, lines), { objectMode: false, highWaterMark: 1 }),
      )
    },
  )

  /** The same guard, and an end: time passes as well while lines are hashed. */
  function until(endsAt: number, guard: Guard | undefined): Guard {
    return {
      shared: () => guard?.shared() ?? [],
      async judge(trx) {
        if (clock.now() >= endsAt) throw new ApiError('requestTimeout')
        await guard?.judge(trx)
      },
    }
  }
}

/** A report as callers see it. */
export function showImport(report: ImportReport): Static<typeof ImportBody> {
  return {
    dry_run: report.dryRun,
    lines: report.lines,
    imported: report.imported,
    errors: report.errors.map(({ line, path, message }) => ({ line, path: [...path], message })),
    errors_total: report.errorsTotal,
  }
}

async function* following(
  first: IteratorResult<string>,
  rest: AsyncGenerator<string>,
): AsyncGenerator<string> {
  if (first.done) return
  yield first.value
  yield* rest
}

/** Anything but these is a mistake: an import that was meant to be none must not happen. */
function isDryRun(query: unknown): boolean {
  const { dry_run: text } = query as { dry_run?: unknown } // parsed by Fastify
  if (text === undefined || text === 'false') return false
  if (text === 'true') return true
  return refuseField(['dry_run'], 'must be true or false')
}

function refused({ errors }: ImportReport): ApiError {
  const details = errors.map(({ line, path, message }) => ({
    path: [`line ${line}`, ...path],
    message,
  }))
  return new ApiError('validationFailed', { details })
}
