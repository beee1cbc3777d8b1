// The modules that tools/made-modules.ts makes of values of src/.

declare module 'made:events' {
  /** The events of each filter of the audit view. */
  export const groups: Readonly<
    Record<import('../../src/core/events/types.ts').EventGroup, readonly string[]>
  >
  export const inOverview: readonly string[]
  export const inOverviewIfByAnother: readonly string[]
}

declare module 'made:events-*' {
  /** What each event says, in one language; an event of another version is shown by its name. */
  export const events: Readonly<Record<string, string>>
}
