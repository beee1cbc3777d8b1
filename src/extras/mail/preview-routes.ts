import { ApiError, refuseField } from '../../core/errors.ts'
import { type Query, single } from '../../core/http/lists/paging.ts'
import type { App } from '../../core/http/schemas.ts'
import { languages } from '../../core/lib/languages.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { messageTypes } from './message-types.ts'
import { mailNotFound } from './problems.ts'
import { type Sample, samplesOf } from './samples.ts'
import { MailPreview, MailPreviewId, MailPreviewList, MailPreviewQuery } from './schemas.ts'

const access = { rule: role('ADMIN') }

export async function routes(app: App, { config: { baseUrl, pages } }: Needs): Promise<void> {
  const samples = new Map(
    samplesOf({ name: pages.name, baseUrl }).map((sample) => [sample.title, sample]),
  )

  app.get(
    '/api/admin/mail/previews',
    {
      config: { access },
      schema: {
        operationId: 'listMailPreviews',
        summary: 'The messages that the service can send, and the cases in which they differ',
        response: { 200: MailPreviewList },
      },
    },
    async () => ({ data: [...samples.values()].map(previewOf) }),
  )

  app.get(
    '/api/admin/mail/previews/:id',
    {
      config: {
        access,
        params: MailPreviewId,
        query: MailPreviewQuery,
        errors: [mailNotFound, 'validationFailed'],
      },
      schema: {
        operationId: 'previewMail',
        summary: 'A message with made-up facts; its link and its code open nothing',
        response: { 200: MailPreview },
      },
    },
    async (request) => {
      const { id } = request.params as { id: string }
      const sample = samples.get(id)
      if (!sample) throw new ApiError(mailNotFound, { reason: { code: 'no_such_mail' } })
      const language = languageOf(request.query as Query)
      const { render } = await import('./messages/render.ts')
      const { message, facts, context } = sample
      return { ...previewOf(sample), language, ...render(message, facts, language, context) }
    },
  )

  /** @throws ApiError validationFailed for an unknown language */
  function languageOf(query: Query) {
    const typed = single(query, 'language')
    if (typed === undefined) return pages.language
    const language = languages.find((known) => known === typed)
    return (
      language ??
      refuseField(['language'], {
        en: `must be one of ${languages.join(', ')}`,
        de: `muss eine von diesen sein: ${languages.join(', ')}`,
      })
    )
  }
}

function previewOf({ title, message }: Sample) {
  return { id: title, message, kind: messageTypes[message].kind }
}
