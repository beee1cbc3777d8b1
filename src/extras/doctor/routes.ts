import type { App } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { DoctorBody, type DoctorReport } from './schemas.ts'

/**
 * Doctor module: GET /api/admin/doctor, what the inside checks find on the node that answers. Callers
 * that ask at the same time share one examination, because it asks the mail server and providers.
 */
export async function routes(app: App, deps: Needs): Promise<void> {
  let examining: Promise<DoctorReport> | undefined

  async function examine(): Promise<DoctorReport> {
    const at = deps.clock.now()
    const { examineInside } = await import('./inside.ts') // with SMTP and more, which a start needs not
    const { reportOf } = await import('./report.ts')
    return reportOf([await examineInside(deps, deps)], { at, url: null })
  }

  app.get(
    '/api/admin/doctor',
    {
      config: { access: { rule: role('ADMIN') } },
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
