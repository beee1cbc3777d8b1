import { refuseField } from '../../core/errors.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { begunStream } from '../../core/http/lists/begun-stream.ts'
import { inTurn } from '../../core/http/lists/bulk-answers.ts'
import { parsePage, type Query, single } from '../../core/http/lists/paging.ts'
import { mediaTypes } from '../../core/http/media-types.ts'
import { callerOf } from '../../core/http/routes/access.ts'
import type { App } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { readPosition, readTail, writePosition, writeTail } from './cursor.ts'
import { sensitiveRead } from './events.ts'
import { namesOf, parseAuditFilters } from './filters.ts'
import { foundLines } from './found-lines.ts'
import { AuditPage, AuditRecordBody, AuditTypeList, auditFilters, auditQuery } from './schemas.ts'
import { createTailReads } from './tail-reads.ts'

const access = { rule: role('ADMIN') }
const maxPerPage = 1000
const largePage = 100

/** Each read is recorded. */
export async function routes(
  app: App,
  { audit, auditLog, clock, events, knownEvents }: Needs,
): Promise<void> {
  app.refusalListeners.push((request, error) => {
    audit.refused(request.id, error.status, error.reason?.code ?? null)
  })
  const tailReads = createTailReads({ clock })

  app.get(
    '/api/admin/audit',
    {
      config: { access, query: auditQuery(knownEvents), errors: ['validationFailed'] },
      schema: {
        operationId: 'listAuditRecords',
        summary: 'One page of the audit log, the newest record first',
        response: { 200: AuditPage },
      },
    },
    async (request, reply) => {
      const query = request.query as Query
      const filters = parseAuditFilters(query, knownEvents)
      const { limit } = parsePage(query, maxPerPage)
      const [cursor, after] = [single(query, 'cursor'), single(query, 'after')]
      if (cursor !== undefined && after !== undefined) {
        return refuseField(['after'], { en: 'stands without cursor', de: 'steht ohne cursor' })
      }
      const before = cursor === undefined ? undefined : readPosition(cursor)
      const behind = after === undefined ? undefined : readTail(after)
      // Shared with other large responses.
      const inItsTurn = <T>(read: () => Promise<T>) =>
        limit > largePage ? inTurn(request, reply, { mayBeRefused: false })(read) : read()
      if (behind) {
        const found = await inItsTurn(() => auditLog.newer(filters, { limit, after: behind }))
        const names = [...namesOf(query), 'after']
        if (tailReads.isLogged([callerOf(request).subject, ...names].join(' '))) {
          events.emit(sensitiveRead, { what: 'audit', filters: names })
        }
        const newer = writeTail(found.end)
        return { limit, data: found.records, next: null, newer, has_newer: found.hasMore }
      }
      // Before the page: records may be read twice, but never skipped.
      const end = await auditLog.end()
      const { records, next } = await inItsTurn(() => auditLog.page(filters, { limit, before }))
      events.emit(sensitiveRead, { what: 'audit', filters: namesOf(query) })
      const newer = writeTail(end)
      return { limit, data: records, next: next && writePosition(next), newer, has_newer: false }
    },
  )

  app.get(
    '/api/admin/audit/types',
    {
      config: { access },
      schema: {
        operationId: 'listAuditTypes',
        summary: 'The types of events that the audit log has, by category',
        response: { 200: AuditTypeList },
      },
    },
    async () => ({
      data: knownEvents.map(({ name, category, level, outcome }) => ({
        ...{ type: name, category, level, outcome },
      })),
    }),
  )

  app.get(
    '/api/admin/audit/export',
    {
      config: {
        access,
        query: auditFilters(knownEvents),
        answers: { 200: { [mediaTypes.lines]: AuditRecordBody } },
        errors: ['validationFailed'],
      },
      schema: {
        operationId: 'exportAuditRecords',
        summary: 'All records that match, the oldest first, as JSON Lines',
      },
    },
    async (request, reply) => {
      const query = request.query as Query
      const filters = parseAuditFilters(query, knownEvents)
      reply.header('content-type', mediaTypes.lines)
      if (request.method === 'HEAD') return reply.send()
      const lines = foundLines(auditLog, {
        filters: { ...filters, until: Math.min(filters.until ?? Infinity, clock.now() + 1) },
        begun: () => events.emit(sensitiveRead, { what: 'audit', filters: namesOf(query) }),
        authorize: async () => reauthorize(request)?.now(),
        makeBatch: inTurn(request, reply, { mayBeRefused: true }),
      })
      return reply.send(await begunStream(lines))
    },
  )
}
