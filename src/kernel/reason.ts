/** The message of an error with those of its causes; what a cause repeats is told once. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause === undefined) return error.message
  const cause = reasonOf(error.cause)
  return cause === error.message ? cause : `${error.message}: ${cause}`
}
