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
          ...{ name, label: labels[language] },
          problem: problem && inputProblems[problem],
          hasFocus: first?.name === name,
        }
        const typed = { value, isOptional: !isRequired }
        if (kind === 'flag') {
          return <TickBox key={name} {...field} isTicked={value !== ''} />
        }
        if (kind === 'choice') {
          const options = ['', ...choices].map((one) => ({ value: one, text: one || '–' }))
          return <Select key={name} {...field} {...typed} options={options} />
        }
        return (
          <Field key={name} {...field} {...typed} autocomplete="off" isProse={kind === 'text'} />
        )
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
