import type { FastifyInstance } from 'fastify'
import type { Config } from '../../core/config/load.ts'
import type { Database } from '../../core/database/database.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import type { SchemaTypes, Static } from '../../core/http/schemas.ts'
import { type Clock, isoTime, isoTimeOrNull } from '../../core/lib/clock.ts'
import { role } from '../../core/policy/rules.ts'
import { checkpointStore } from './checkpoint-store.ts'
import type { AuditProof } from './proof.ts'
import { AuditVerification, AuditVerificationState } from './verification-schemas.ts'
import type { VerificationRow } from './verify/run-store.ts'
import type { AuditVerifications } from './verify/runs.ts'

/** The routes of /api/admin/audit/verification: how far the log is proved, and a verification of all. */
export interface VerificationRoutesOptions {
  readonly auditProof: Pick<AuditProof, 'lag'>
  readonly auditVerifications: Pick<AuditVerifications, 'request' | 'state'>
  readonly clock: Clock
  readonly config: Pick<Config, 'audit'>
  readonly db: Database
}

const access = { rule: role('ADMIN') }

export async function verificationRoutes(
  instance: FastifyInstance,
  { auditProof, auditVerifications, clock, config, db }: VerificationRoutesOptions,
): Promise<void> {
  const app = instance.withTypeProvider<SchemaTypes>()

  app.get(
    '/api/admin/audit/verification',
    {
      config: { access },
      schema: {
        operationId: 'getAuditVerification',
        summary: 'The last checkpoint of the audit log, and what the last verification found',
        response: { 200: AuditVerificationState },
      },
    },
    async () => {
      const checkpoint = await checkpointStore(db).last()
      const { open, last } = await auditVerifications.state()
      const { sinks, uncoveredMs } = auditProof.lag()
      return {
        last_checkpoint: checkpoint
          ? {
              number: checkpoint.number,
              at: isoTime(checkpoint.at),
              age_seconds: seconds(clock.now() - checkpoint.at),
            }
          : null,
        checkpoint_seconds: config.audit.checkpointSeconds,
        uncovered_seconds: seconds(uncoveredMs),
        sinks: sinks.map(({ name, unsentMs }) => ({ name, unsent_seconds: seconds(unsentMs) })),
        open: open && verificationView(open),
        last: last && verificationView(last),
      }
    },
  )

  app.post(
    '/api/admin/audit/verification',
    {
      config: { access },
      schema: {
        operationId: 'verifyAudit',
        summary: 'Have the whole audit log verified; answers the verification under way, if one is',
        response: { 202: AuditVerification },
      },
    },
    async (request, reply) => {
      const run = await auditVerifications.request(reauthorize(request))
      return reply.status(202).send(verificationView(run))
    },
  )
}

/** A verification on the wire. */
function verificationView(run: VerificationRow): Static<typeof AuditVerification> {
  return {
    id: run.id,
    state: run.state,
    asked_at: isoTime(run.asked_at),
    started_at: isoTimeOrNull(run.started_at),
    finished_at: isoTimeOrNull(run.finished_at),
    node: run.node,
    records: run.records,
    detail: run.detail,
    result: run.result === null ? null : JSON.parse(run.result), // as `shownVerification` made it
  }
}

function seconds(milliseconds: number): number {
  return Math.max(0, Math.round(milliseconds / 1000))
}
