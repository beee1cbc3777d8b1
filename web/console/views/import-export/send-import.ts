import type { components } from '../../api/openapi.d.ts'
import { problemOf, unreachable } from '../../api/problem.ts'
import { askForLogin } from '../../session/ask-for-login.ts'
import { csrfToken, restoreSession } from '../../session/session.ts'

export type ImportReport = components['schemas']['ImportReport']

interface Options {
  readonly isDryRun: boolean
  /** How many lines of each outcome a dry run shows. */
  readonly preview?: number
  readonly signal: AbortSignal
  /** Called with the share of the file that was sent, 0 to 1. */
  readonly onSent: (share: number) => void
}

/**
 * Sends a file to the import. It is sent once more after a login, if the session ends meanwhile or a
 * recent login is wanted: an import that was refused has stored nothing.
 * @throws ApiProblem for any other refusal, and where nothing answers; LoginDeclined; AbortError
 */
export async function sendImport(file: File, options: Options): Promise<ImportReport> {
  let mayRestore = true
  for (;;) {
    const sentWith = csrfToken()
    const { status, headers, body } = await sent(file, options)
    if (status === 200) return body as ImportReport // what the contract says
    const { error } = (body ?? {}) as { error?: string }
    if (status === 401) {
      await askForLogin(error === 'Recent login required' ? 'recent' : 'ended', sentWith)
    } else if (mayRestore && (status === 0 || error === 'CSRF token invalid')) {
      // A refusal may close the connection while the file is on its way: the browser hides it then.
      mayRestore = false
      const present = await restoreSession().catch(() => {
        throw unreachable(null)
      })
      if (!present) await askForLogin('ended', sentWith)
      else if (status === 0) throw unreachable(null)
    } else throw problemOf(new Response(null, { status: status || 503, headers }), body)
  }
}

interface Answer {
  /** 0: the connection was lost. */
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** By XMLHttpRequest, because fetch tells nothing of how much was sent. */
function sent(file: File, { isDryRun, preview, signal, onSent }: Options): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const query = new URLSearchParams({
      dry_run: String(isDryRun),
      ...(preview !== undefined && { preview: String(preview) }),
    })
    const request = new XMLHttpRequest()
    request.open('POST', `/api/admin/import/accounts?${query}`)
    request.setRequestHeader('accept', 'application/json')
    // The content decides; the type counts only for a file that is neither.
    const isCsv = file.name.toLowerCase().endsWith('.csv')
    request.setRequestHeader('content-type', isCsv ? 'text/csv' : 'application/x-ndjson')
    request.setRequestHeader('x-csrf-token', csrfToken())
    request.upload.onprogress = ({ loaded, total }) => onSent(total === 0 ? 1 : loaded / total)
    const give = () => request.abort()
    signal.addEventListener('abort', give)
    request.onabort = () => reject(signal.reason)
    request.onloadend = () => {
      signal.removeEventListener('abort', give)
      const headers = new Headers()
      for (const name of ['retry-after', 'x-request-id']) {
        const value = request.getResponseHeader(name)
        if (value !== null) headers.set(name, value)
      }
      resolve({ status: request.status, headers, body: parsed(request.responseText) })
    }
    request.send(file)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
