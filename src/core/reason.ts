/** The messages of an error and of its causes, each once. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause === undefined) return error.message
  const cause = reasonOf(error.cause)
  return cause === error.message ? cause : `${error.message}: ${cause}`
}

/** The code of a failed call to the operating system, such as `ENOENT`; undefined for other errors. */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^E[A-Z0-9]+$/.test(code) ? code : undefined // codes of Node begin with ERR_
}
