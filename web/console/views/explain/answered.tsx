import { useState } from 'preact/hooks'
import { Notice } from '../../../components/messages.tsx'
import { ApiProblem, api, dataOf } from '../../api/client.ts'
import type { components } from '../../api/openapi.d.ts'
import { Loaded, LoadFailed } from '../../components/loaded.tsx'
import { useLoad } from '../../use-load.ts'
import { Answer } from './answer.tsx'
import { type Asked, canBeShared, questionOf } from './question.ts'
import { whyTexts } from './texts.ts'

export type Explanation = components['schemas']['Explanation']

/** The answer to a question, read once more after each remedy. */
export function Answered({ asked }: { readonly asked: Asked }) {
  const t = whyTexts.use()
  const answer = useLoad('', (signal) =>
    dataOf(api.POST('/api/admin/explain', { body: questionOf(asked), signal })),
  )
  const [count, setCount] = useState(0)
  const again = () => {
    setCount(count + 1)
    answer.reload()
  }
  const { problem } = answer
  if (problem instanceof ApiProblem && problem.status === 404) {
    return asked.route === '' ? <Unknown text={asked.text} /> : <p role="alert">{t.noAccount}</p>
  }
  if (problem instanceof ApiProblem && problem.status === 400 && asked.route !== '') {
    return <p role="alert">{t.routeWrong}</p>
  }
  if (problem !== null && answer.data === null) {
    return <LoadFailed problem={problem} retry={answer.reload} />
  }
  return (
    <Loaded from={answer}>{(data) => <Answer answer={data} again={again} count={count} />}</Loaded>
  )
}

function Unknown({ text }: { readonly text: string }) {
  const t = whyTexts.use()
  // What may be a secret stands in no address, that of the list neither.
  const search = canBeShared(text) ? `?${new URLSearchParams({ search: text })}` : ''
  return (
    <div role="status">
      <Notice kind="plain">
        <h2>{t.unknown}</h2>
        <ul>
          {t.unknownSteps.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
        <div class="actions">
          <a class="button quiet small" href={`/admin/accounts${search}`}>
            {t.unknownLinks.accounts}
          </a>
          <a class="button quiet small" href="/admin/audit">
            {t.unknownLinks.audit}
          </a>
        </div>
      </Notice>
    </div>
  )
}
