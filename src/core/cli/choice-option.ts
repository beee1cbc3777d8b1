import { type CommandCall, textOf, UsageError } from './command.ts'

/** Undefined if absent. @throws UsageError for an unknown value */
export function choiceOption<Choice extends string>(
  call: CommandCall,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const typed = textOf(call, name)
  const choice = choices.find((known) => known === typed)
  if (typed !== undefined && choice === undefined) {
    throw new UsageError(`--${name} is one of ${choices.join(', ')}`)
  }
  return choice
}
