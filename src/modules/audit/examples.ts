import type { CommandExamples, Examples } from '../../../test/example.ts'

const tail = () => ({ path: '/api/admin/audit?after=WzFd' })

export const examples: Examples = {
  listAuditRecords: [
    { events: ['sensitive_read'] },
    { events: ['sensitive_read'], make: tail },
    { make: tail }, // reported once in ten minutes
  ],
  listAuditTypes: {},
  exportAuditRecords: { events: ['sensitive_read'] },
  getAuditVerification: {},
  verifyAudit: { events: ['audit_verification_requested'] },
}

export const commands: CommandExamples = {
  'audit export': { events: ['sensitive_read'] },
  'audit verify': {},
}
