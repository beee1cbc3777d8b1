// The modules that tools/made-modules.ts makes of values of src/, and tools/first-view.ts of a build.

declare module 'made:first-view' {
  type Files = Readonly<
    Record<import('../../src/core/lib/languages.ts').Language, readonly string[]>
  >
  /** The files of each view, besides `console.js`. */
  export const frameFiles: Files
  /** Of the view where the console begins, if it was not removed. */
  export const overview: {
    readonly path: string
    readonly roles: readonly string[]
    /** The addresses of the API that it reads first. */
    readonly reads: readonly string[]
    readonly files: Files
  } | null
}

declare module 'made:events' {
  /** The events of each filter of the audit view. */
  export const groups: Readonly<
    Record<import('../../src/core/events/types.ts').EventGroup, readonly string[]>
  >
  export const inOverview: readonly string[]
  export const inOverviewIfByAnother: readonly string[]
}

declare module 'made:errors-*' {
  /** What each error of the API means to the reader, by its text; others are shown as they are. */
  export const errors: Readonly<Record<string, string>>
}

declare module 'made:reasons-*' {
  /** What each reason means, by its code; in English the API says it. */
  export const reasons: Readonly<Record<string, string>>
  /** What an administrator does where no button does it, or before. */
  export const advice: Readonly<Record<string, string>>
}

declare module 'made:events-*' {
  /** What each event says, in one language; an event of another version is shown by its name. */
  export const events: Readonly<Record<string, string>>
}
