import { currentBundle } from '../src/cli/bundle.ts'

// A start, two logins and a read, in a temporary folder and on a port of its own: what is compiled by
// then is kept in the compile cache of this process.
const folder = currentBundle() ?? new URL('../src/', import.meta.url).href
const extension = folder.endsWith('/src/') ? 'ts' : 'js'
await import(`${folder}start.${extension}`)
const { startTestService }: typeof import('../src/test-service.ts') = await import(
  `${folder}test-service.${extension}`
)
const { baseUrl, admin, stop } = await startTestService({})
for (const mode of ['session', 'token']) {
  const body = new URLSearchParams({ ...admin, mode })
  const answer = await fetch(`${baseUrl}/login`, { method: 'POST', body })
  const { token } = (await answer.json()) as { readonly token?: string }
  if (token) await fetch(`${baseUrl}/api/me`, { headers: { authorization: `Bearer ${token}` } })
}
await stop()
