import { levels } from '../../core/checks/check.ts'
import {
  Count,
  exactly,
  named,
  type Static,
  Text,
  TextOrNull,
  Time,
} from '../../core/http/schemas.ts'

const FindingBody = named(
  'DoctorFinding',
  exactly({
    check: { ...Text, description: 'Never renamed: docs/doctor.md has a row for each' },
    level: {
      type: 'string',
      enum: levels,
      description: '`info` is advice; `unknown`: the check could not be made',
    },
    what: Text,
    why: { ...Text, description: 'Why it matters' },
    mend: exactly({
      do: Text,
      setting: { ...TextOrNull, description: 'A setting of the service, or a command' },
      nginx: TextOrNull,
      caddy: TextOrNull,
    }),
  }),
  {
    check: 'first_password',
    level: 'warning',
    what: '/var/lib/gatehouse/first-password still holds the generated password.',
    why: 'It is the password of an administrator in clear; copies of the folder take it along.',
    mend: {
      do: 'Log in with it, change it, and delete the file.',
      setting: 'rm /var/lib/gatehouse/first-password',
      nginx: null,
      caddy: null,
    },
  },
)

export const DoctorBody = named(
  'DoctorReport',
  {
    type: 'object',
    required: [
      ...['checked_at', 'url', 'checks', 'errors', 'warnings', 'advice', 'unknown', 'findings'],
    ] as const,
    properties: {
      checked_at: Time,
      url: { ...TextOrNull, description: 'What was examined from outside; null: nothing' },
      checks: { ...Count, description: 'How many checks were made' },
      errors: Count,
      warnings: Count,
      advice: Count,
      unknown: Count,
      findings: { type: 'array', items: FindingBody, description: 'The worst first' },
    },
    additionalProperties: false,
  },
  {
    checked_at: '2026-03-02T09:00:00.000Z',
    url: null,
    checks: 28,
    errors: 0,
    warnings: 0,
    advice: 0,
    unknown: 0,
    findings: [],
  },
)

export type FindingShown = Static<typeof FindingBody>
export type DoctorReport = Static<typeof DoctorBody>
