import assert from 'node:assert/strict'
import type { Report } from '../../src/extras/verify/report.ts'
import type { TestApp } from '../app.ts'
import { gatehouse, type Ran, type Surroundings } from '../cli/gatehouse.ts'
import { steppingClock } from '../clock.ts'

export interface Verified extends Ran {
  readonly report: Report
  readonly failed: readonly string[]
  readonly notChecked: readonly string[]
}

/** Runs `gatehouse verify` at an address as the administrator of a service, on its clock. */
export async function verified(
  { admin, clock, directory }: TestApp,
  url: string,
  words = '',
  more: Surroundings = {},
): Promise<Verified> {
  const ran = await gatehouse(directory, `verify ${url} ${words} --json`, {
    clock: steppingClock(clock),
    env: { ADMIN_PASSWORD: admin.password },
    ...more,
  })
  const report: Report = JSON.parse(ran.stdout || '{"checks":[]}')
  const ids = (outcome: string) =>
    report.checks.filter((one) => one.outcome === outcome).map(({ id }) => id)
  return { ...ran, report, failed: ids('failed'), notChecked: ids('not_checked') }
}

const keptTables = [
  'users',
  'accounts',
  'role_assignments',
  'sessions',
  'posts',
  'second_factors',
  'recovery_codes',
  'known_devices',
  'throttle_places',
]

/** The rows that a run could leave behind. */
export async function peopleAndDoings(app: TestApp): Promise<Record<string, unknown[]>> {
  const rows = await app.rows()
  return Object.fromEntries(keptTables.map((name) => [name, rows[name] ?? assert.fail(name)]))
}
