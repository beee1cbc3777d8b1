/** What the tests, the reporter and the instrumented modules of one process share. */
export const state = {
  /** The number of the mutant that the service has now; -1 for none. */
  mutant: Number(process.env.MUTANT ?? -1),
  /** Whether the place of the mutant was reached. */
  isReached: false,
  isFailed: false,
  /** Called after the last test of a file. */
  ended: () => {},
}
