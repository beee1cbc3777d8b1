const heading = 'Failed:'

/** The lines with which `npm test` ends if tests failed. */
export function failureList(failures: readonly string[]): string {
  return failures.length === 0 ? '' : `${[heading, ...failures].join('\n  ')}\n`
}

/**
 * Returns what failed in a run of `npm test`, by its output and its exit code: the tests of
 * `failureList`, answers of the OpenAPI document that no test meets, or the run itself.
 */
export function failuresIn(output: string, code: number | null): string[] {
  if (code === 0) return []
  const lines = output.trimEnd().split('\n')
  const from = lines.lastIndexOf(heading)
  const rest = from < 0 ? [] : lines.slice(from + 1)
  const end = rest.findIndex((line) => !line.startsWith('  '))
  const tests = rest.slice(0, end < 0 ? rest.length : end).map((line) => line.trim())
  const unmet = lines.filter((line) => /^✖ docs\/openapi\.json: /.test(line))
  const failures = [...tests, ...unmet.map((line) => line.slice(2))]
  return failures.length > 0 ? failures : [`the run ended, exit code ${code}: ${lines.at(-1)}`]
}
