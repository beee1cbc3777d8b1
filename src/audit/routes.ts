import type { FastifyInstance } from 'fastify'
import type { Events } from '../events/events.ts'
import { inTurn } from '../http/lists/bulk-answers.ts'
import { parsePage, type Query, single } from '../http/lists/paging.ts'
import type { SchemaTypes } from '../http/schemas.ts'
import { role } from '../policy/rules.ts'
import type { AuditLog } from './audit-log.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { sensitiveRead } from './events.ts'
import { namesOf, parseFilters } from './filters.ts'
import { AuditPage, AuditQuery } from './schemas.ts'

/** GET /api/admin/audit: an administrator reads the audit log, which is an event itself. */
export interface AuditRoutesOptions {
  readonly auditLog: AuditLog
  readonly events: Events
}

const maxPerPage = 1000
const largePage = 100

export async function auditRoutes(
  instance: FastifyInstance,
  { auditLog, events }: AuditRoutesOptions,
): Promise<void> {
  instance.withTypeProvider<SchemaTypes>().get(
    '/api/admin/audit',
    {
      config: { access: { rule: role('ADMIN') }, query: AuditQuery, errors: ['validationFailed'] },
      schema: {
        operationId: 'listAuditRecords',
        summary: 'One page of the audit log, the newest record first',
        response: { 200: AuditPage },
      },
    },
    async (request, reply) => {
      const query = request.query as Query // parsed by Fastify
      const filters = parseFilters(query)
      const { limit } = parsePage(query, maxPerPage)
      const cursor = single(query, 'cursor')
      const before = cursor === undefined ? undefined : readCursor(cursor)
      const read = () => auditLog.page(filters, { limit, before })
      // A large page waits with the other large answers.
      const { records, next } = await (limit > largePage
        ? inTurn(request, reply, { mayBeRefused: false })(read)
        : read())
      events.tell(sensitiveRead, { what: 'audit', filters: namesOf(filters) })
      return { limit, data: records, next: next && writeCursor(next) }
    },
  )
}
