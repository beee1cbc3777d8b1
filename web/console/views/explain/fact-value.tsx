import { useCommon } from '../../../context.ts'
import { Time } from '../../components/time.tsx'
import { whyTexts } from './texts.ts'

const isTime = /(?:_at|^until)$/
const isSeconds = /seconds(?:_ago)?$/

/** The value of a fact, as a time, a length of time, a list or a text. docs/explain.md */
export function FactValue({ name, value }: { readonly name: string; readonly value: unknown }) {
  const t = whyTexts.use()
  const { inWords } = useCommon()
  if (typeof value === 'string' && isTime.test(name)) return <Time at={value} />
  if (typeof value === 'number' && isSeconds.test(name)) return inWords(value)
  if (Array.isArray(value)) return value.length > 0 ? value.map(String).join(', ') : t.nothing
  if (value === null) return t.nothing
  return <bdi>{typeof value === 'object' ? JSON.stringify(value) : String(value)}</bdi>
}
