import { apiLanguage } from '../../core/http/pages/language.ts'
import { varyBy } from '../../core/http/pages/negotiation.ts'
import type { App } from '../../core/http/schemas.ts'
import type { Language } from '../../core/lib/languages.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { DoctorBody, type DoctorReport } from './schemas.ts'

/**
 * Runs the inside checks of this node. Concurrent callers share a run, because the checks contact
 * the mail server and providers.
 */
export async function routes(app: App, deps: Needs): Promise<void> {
  let examining: Promise<(language: Language) => DoctorReport> | undefined

  async function examine(): Promise<(language: Language) => DoctorReport> {
    const at = deps.clock.now()
    const { examineInside } = await import('./inside.ts') // imports SMTP and more, not needed at start
    const { reportOf } = await import('./report.ts')
    const examined = [await examineInside(deps, deps)]
    return (language) => reportOf(examined, { at, language, url: null })
  }

  app.get(
    '/api/admin/doctor',
    {
      config: {
        isDiagnosis: true,
        access: { rule: role('ADMIN') },
        requestHeaders: ['accept-language'],
      },
      schema: {
        operationId: 'getDoctor',
        summary: 'What is wrong with this deployment, from inside: settings, files, database',
        response: { 200: DoctorBody },
      },
    },
    async (request, reply) => {
      varyBy(reply, 'Accept-Language')
      examining ??= examine().finally(() => {
        examining = undefined
      })
      const reportIn = await examining
      return reportIn(apiLanguage(request))
    },
  )
}
