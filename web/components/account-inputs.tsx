import type { ShownInput } from '../../src/core/http/pages/views/account-input.ts'
import { useCommon, useLanguage } from '../context.ts'
import { Field } from './field.tsx'
import { Select } from './select.tsx'
import { TickBox } from './tick-box.tsx'

interface Props {
  readonly inputs: readonly ShownInput[]
  /** Whether the first wrong input has the focus. */
  readonly hasFocus: boolean
}

/** Inputs of fields that other modules add to an account. */
export function AccountInputs({ inputs, hasFocus }: Props) {
  const language = useLanguage()
  const { inputProblems } = useCommon()
  const first = hasFocus ? inputs.find(({ problem }) => problem !== null) : undefined
  return (
    <>
      {inputs.map(({ name, labels, kind, choices, isRequired, value, problem }) => {
        const field = {
          ...{ name, value, label: labels[language], isOptional: !isRequired },
          problem: problem && inputProblems[problem],
          hasFocus: first?.name === name,
        }
        if (kind === 'flag') {
          return <TickBox key={name} name={name} label={field.label} isTicked={value !== ''} />
        }
        if (kind === 'choice') {
          const options = ['', ...choices].map((one) => ({ value: one, text: one || '–' }))
          return <Select key={name} {...field} options={options} />
        }
        return <Field key={name} {...field} autocomplete="off" isProse={kind === 'text'} />
      })}
    </>
  )
}

/** The wrong inputs, for `Problem`. */
export function useWrongInputs(inputs: readonly ShownInput[]) {
  const language = useLanguage()
  const { inputProblems } = useCommon()
  return inputs.flatMap(({ name, labels, problem }) =>
    problem ? [{ name, text: `${labels[language]}: ${inputProblems[problem]}` }] : [],
  )
}
