import type { FastifyInstance } from 'fastify'
import { assertMayAppoint } from '../accounts/new-administrator.ts'
import type { Config } from '../config/load.ts'
import type { Database } from '../database/database.ts'
import type { Guard } from '../database/transactions.ts'
import type { Events } from '../events/events.ts'
import { acceptLines, longBody } from '../http/bodies/long-bodies.ts'
import { stillAllowed } from '../http/changes/still-allowed.ts'
import { begunStream } from '../http/lists/begun-stream.ts'
import { inTurn } from '../http/lists/bulk-answers.ts'
import { mediaTypes } from '../http/media-types.ts'
import type { SchemaTypes, Static } from '../http/schemas.ts'
import type { Clock } from '../kernel/clock.ts'
import { ApiError, refuseField } from '../kernel/errors.ts'
import { role } from '../policy/rules.ts'
import { exportAccounts } from './export.ts'
import type { ImportReport, Imports } from './import.ts'
import { ImportBody, transferSchemas } from './schemas.ts'

/** Import and export of accounts as lines of JSON, below /api/admin, for the role ADMIN. */
export interface TransferRoutesOptions {
  readonly config: Pick<Config, 'login' | 'roles'>
  readonly clock: Clock
  readonly db: Database
  readonly events: Events
  readonly imports: Imports
}

const access = { rule: role('ADMIN') }

/** How long an import may take, from its request header to its last step. */
const maxImportMs = 1_800_000

const ImportQuery = {
  type: 'object',
  properties: {
    dry_run: {
      type: 'boolean',
      default: false,
      description: 'Finds every mistake and changes nothing',
      examples: [true],
    },
  },
} as const

export async function transferRoutes(
  instance: FastifyInstance,
  options: TransferRoutesOptions,
): Promise<void> {
  const { clock, config, db, events, imports } = options
  const { ExportLine, ImportLine } = transferSchemas(config.roles)
  const app = instance.withTypeProvider<SchemaTypes>()
  acceptLines(instance)

  app.post(
    '/api/admin/import/accounts',
    {
      config: {
        access,
        reauthentication: 'conditional', // an ADMIN is among the accounts
        body: 'lines',
        line: ImportLine,
        query: ImportQuery,
        errors: ['validationFailed', 'requestTimeout'],
      },
      schema: {
        operationId: 'importAccounts',
        summary: 'Import accounts, all of them or none',
        response: { 200: ImportBody },
      },
    },
    async (request, reply) => {
      const startedAt = clock.now() // reauthentication is judged at the start of a long import
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
        // The rest of an unread body must not be parsed as the next request.
        if (!request.raw.complete) reply.header('connection', 'close')
        throw error
      }
    },
  )

  app.get(
    '/api/admin/export/accounts',
    {
      config: { access, answers: { 200: { [mediaTypes.lines]: ExportLine } } },
      schema: {
        operationId: 'exportAccounts',
        summary: 'Every account, without its password hash',
      },
    },
    async (request, reply) => {
      reply.header('content-type', mediaTypes.lines)
      if (request.method === 'HEAD') return reply.send()
      const lines = exportAccounts(
        { config, db, events },
        {
          withHashes: false,
          judge: async () => stillAllowed(request)?.now(),
          makeBatch: inTurn(request, reply, { mayBeRefused: true }),
        },
      )
      return reply.send(await begunStream(lines))
    },
  )

  /** Adds a deadline to a guard, because hashing also takes time. */
  function until(endsAt: number, guard: Guard | undefined): Guard {
    return {
      shared: () => guard?.shared() ?? [],
      async judge(trx) {
        if (clock.now() >= endsAt) {
          throw new ApiError('requestTimeout', { reason: { code: 'deadline_passed' } })
        }
        await guard?.judge(trx)
      },
    }
  }
}

/** Converts a report to the body of an answer. */
export function showImport(report: ImportReport): Static<typeof ImportBody> {
  return {
    dry_run: report.dryRun,
    lines: report.lines,
    imported: report.imported,
    errors: report.errors.map(({ line, path, message }) => ({ line, path: [...path], message })),
    errors_total: report.errorsTotal,
  }
}

/** Parses `dry_run`; other values are refused, so that a misspelt dry run imports nothing. */
function isDryRun(query: unknown): boolean {
  const { dry_run: text } = query as { dry_run?: unknown } // parsed by Fastify
  if (text === undefined || text === 'false') return false
  if (text === 'true') return true
  return refuseField(['dry_run'], 'must be true or false')
}

function refused({ errors, errorsTotal }: ImportReport): ApiError {
  const details = errors.map(({ line, path, message }) => ({
    path: [`line ${line}`, ...path],
    message,
  }))
  const reason = { code: 'lines_refused', facts: { errors: errorsTotal } } as const
  return new ApiError('validationFailed', { details, reason })
}
