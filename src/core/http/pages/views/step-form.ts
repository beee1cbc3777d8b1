/** Where the form of a step goes. */
export interface StepForm {
  readonly action: string
  readonly csrf: string
}
