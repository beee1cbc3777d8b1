import { join, resolve } from 'node:path'
import { integer, list, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Reading } from '../../core/config/load.ts'
import { auditSinkMistakes, parseAuditSink } from './audit-sinks.ts'

export const settings = {
  AUDIT_CHECKPOINT_SECONDS: integer({
    default: 10,
    min: 1,
    doc: 'How old a record of the audit log may be before a signed checkpoint covers it. Seconds.',
  }),
  AUDIT_RETENTION_DAYS: integer({
    default: 365,
    min: 0,
    doc: 'Records of the audit log are removed after this many days, and a signed tombstone stays; 0: never.',
  }),
  AUDIT_SINKS: list({
    doc: 'Places outside the database to which the audit log is sent, comma-separated: `file:/path`, `syslog://host:514` (UDP), `syslog+tcp://host:601`, `syslog+tls://host:6514` with `?ca=`, `&cert=` and `&key=` for files in PEM. They get records with pseudonyms in place of persons, and checkpoints. Checkpoints go to `DATA_DIR/audit-checkpoints.jsonl` in any case. docs/audit.md',
    parse: parseAuditSink,
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
}

export function configure({ values }: Reading) {
  const checkpointsFile = join(resolve(values.DATA_DIR), 'audit-checkpoints.jsonl')
  return {
    config: {
      audit: {
        checkpointSeconds: values.AUDIT_CHECKPOINT_SECONDS,
        retentionDays: values.AUDIT_RETENTION_DAYS,
        sinks: values.AUDIT_SINKS,
        /** The external file of checkpoints. */
        checkpointsFile,
      },
    },
    mistakes: auditSinkMistakes(values.AUDIT_SINKS, checkpointsFile),
  }
}
