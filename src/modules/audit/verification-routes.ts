import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import type { App, Static } from '../../core/http/schemas.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { runView } from '../../core/runs/runs.ts'
import { checkpointStore } from './checkpoint-store.ts'
import { AuditVerification, AuditVerificationState } from './verification-schemas.ts'
import type { VerificationRow } from './verify/run-store.ts'

const access = { rule: role('ADMIN') }

/** /api/admin/audit/verification */
export async function routes(
  app: App,
  { auditProof, auditVerifications, clock, config, db }: Needs,
): Promise<void> {
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

function verificationView(run: VerificationRow): Static<typeof AuditVerification> {
  const { records, result } = run
  return {
    ...{ ...runView(run), asked_at: isoTime(run.asked_at), records },
    result: result === null ? null : JSON.parse(result), // written by `shownVerification`
  }
}

function seconds(milliseconds: number): number {
  return Math.max(0, Math.round(milliseconds / 1000))
}
