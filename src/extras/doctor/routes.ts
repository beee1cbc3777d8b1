import type { App } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { DoctorBody, type DoctorReport } from './schemas.ts'

/**
 * Runs the inside checks of this node. Concurrent callers share a run, because the checks contact
 * the mail server and providers.
 */
export async function routes(app: App, deps: Needs): Promise<void> {
  let examining: Promise<DoctorReport> | undefined

  async function examine(): Promise<DoctorReport> {
    const at = deps.clock.now()
    const { examineInside } = await import('./inside.ts') // imports SMTP and more, not needed at start
    const { reportOf } = await import('./report.ts')
    return reportOf([await examineInside(deps, deps)], { at, url: null })
  }

  app.get(
    '/api/admin/doctor',
    {
      config: { isDiagnosis: true, access: { rule: role('ADMIN') } },
      schema: {
        operationId: 'getDoctor',
        summary: 'What is wrong with this deployment, from inside: settings, files, database',
        response: { 200: DoctorBody },
      },
    },
    () => {
      examining ??= examine().finally(() => {
        examining = undefined
      })
      return examining
    },
  )
}
