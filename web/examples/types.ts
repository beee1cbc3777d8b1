/** The states of the pages of a flow, each by a name of its own. */
export type ExamplesOf<Views> = {
  readonly [Name in keyof Views]: Readonly<Record<string, Views[Name]>>
}
