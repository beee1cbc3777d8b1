import { type CommandCall, textOf, UsageError } from './command.ts'

/** Reads an option that has few values; undefined if it was not given. @throws UsageError for any other value */
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
