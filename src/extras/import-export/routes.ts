import type { FastifyRequest } from 'fastify'
import type { Guard } from '../../core/database/transactions.ts'
import { ApiError, refuseField } from '../../core/errors.ts'
import { acceptLines, longBody } from '../../core/http/bodies/long-bodies.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { begunStream } from '../../core/http/lists/begun-stream.ts'
import { inTurn } from '../../core/http/lists/bulk-answers.ts'
import { positiveInteger } from '../../core/http/lists/paging.ts'
import { mediaTypes } from '../../core/http/media-types.ts'
import type { App } from '../../core/http/schemas.ts'
import { isoTime, isoTimeOrNull } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { assertMayAppoint } from '../../modules/accounts/new-administrator.ts'
import { exportAccounts } from './export.ts'
import type { ImportReport } from './import.ts'
import { ImportBody, ImportsUnderWay, transferSchemas } from './schemas.ts'
import { showImport } from './show-import.ts'

const access = { rule: role('ADMIN') }

/** From the request header to the last step. */
const maxImportMs = 1_800_000

const maxPreview = 500

const ImportQuery = {
  type: 'object',
  properties: {
    dry_run: {
      type: 'boolean',
      default: false,
      description: 'Finds every mistake and changes nothing',
      examples: [true],
    },
    preview: {
      type: 'integer',
      minimum: 1,
      maximum: maxPreview,
      description:
        'Of a dry run: shows so many of the first lines that would be imported, and of those that would not, next to what is there now',
      examples: [100],
    },
  },
} as const

export async function routes(app: App, options: Needs): Promise<void> {
  const { accountFields, clock, config, db, events, imports } = options
  const fields = accountFields()
  const { ExportLine, ImportLine } = transferSchemas(config.roles, fields)
  acceptLines(app)

  app.post(
    '/api/admin/import/accounts',
    {
      config: {
        access,
        reauthentication: 'conditional', // the file contains an ADMIN
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
      const startedAt = clock.now() // reauthentication is checked once, at the start
      const atStart = { ...options, clock: { now: () => startedAt } }
      const endsAt = startedAt + maxImportMs
      try {
        const report = await imports.run(longBody(request, clock, endsAt), {
          ...askedOf(request.query),
          otherwise: isCsv(request) ? 'csv' : 'json',
          guard: until(endsAt, reauthorize(request)),
          assertMayGive: (roles) => assertMayAppoint(request, atStart, { roles }),
        })
        if (!report.dryRun && report.errorsTotal > 0) throw refused(report)
        return showImport(report)
      } catch (error) {
        // The unread body must not be parsed as the next request.
        if (!request.raw.complete) reply.header('connection', 'close')
        throw error
      }
    },
  )

  app.get(
    '/api/admin/imports',
    {
      config: { access },
      schema: {
        operationId: 'listImports',
        summary: 'The imports under way, on all nodes, and how many lines each has read',
        response: { 200: ImportsUnderWay },
      },
    },
    async () => {
      const underWay = await imports.underWay()
      return {
        data: underWay.map((row) => ({
          id: row.id,
          dry_run: row.dry_run === 1,
          started_at: isoTimeOrNull(row.started_at),
          seen_at: isoTime(row.seen_at),
          lines: row.lines,
        })),
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
          fields,
          authorize: async () => reauthorize(request)?.now(),
          makeBatch: inTurn(request, reply, { mayBeRefused: true }),
        },
      )
      return reply.send(await begunStream(lines))
    },
  )

  /** Adds a deadline: hashing takes time. */
  function until(endsAt: number, guard: Guard | undefined): Guard {
    return {
      lockNames: () => guard?.lockNames() ?? [],
      async authorize(trx) {
        if (clock.now() >= endsAt) {
          throw new ApiError('requestTimeout', { reason: { code: 'deadline_passed' } })
        }
        await guard?.authorize(trx)
      },
    }
  }
}

/** By Content-Type. */
function isCsv({ headers }: FastifyRequest): boolean {
  return headers['content-type']?.toLowerCase().startsWith(mediaTypes.csv) ?? false
}

/** Rejects unknown values: a misspelt dry run must import nothing. */
function askedOf(query: unknown): { readonly dryRun: boolean; readonly preview: number } {
  const { dry_run: dry, preview: lines } = query as { dry_run?: unknown; preview?: unknown }
  if (dry !== undefined && dry !== 'true' && dry !== 'false') {
    return refuseField(['dry_run'], {
      en: 'must be true or false',
      de: 'muss true oder false sein',
    })
  }
  const dryRun = dry === 'true'
  if (lines === undefined) return { dryRun, preview: 0 }
  if (!dryRun)
    return refuseField(['preview'], { en: 'needs dry_run=true', de: 'verlangt dry_run=true' })
  const preview = positiveInteger(lines)
  return preview !== null && preview <= maxPreview
    ? { dryRun, preview }
    : refuseField(['preview'], {
        en: `must be a whole number from 1 to ${maxPreview}`,
        de: `muss eine ganze Zahl von 1 bis ${maxPreview} sein`,
      })
}

function refused({ errors, errorsTotal }: ImportReport): ApiError {
  const details = errors.map(({ line, path, message }) => ({
    path: [`line ${line}`, ...path],
    message,
  }))
  const reason = { code: 'lines_refused', facts: { errors: errorsTotal } } as const
  return new ApiError('validationFailed', { details, reason })
}
