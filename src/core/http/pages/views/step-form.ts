export interface StepForm {
  readonly action: string
  readonly csrf: string
}
