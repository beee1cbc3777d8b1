import { useCommon } from '../../../context.ts'
import { accountPath } from '../../account-path.ts'
import { UserText } from '../../components/user-text.tsx'
import { frameTexts } from '../../frame-texts.ts'
import { wordsOf } from '../../problem-words.ts'
import type { ManyProgress } from './many.ts'
import { accountsTexts } from './texts.ts'

interface Props {
  readonly progress: ManyProgress
  readonly isRunning: boolean
}

/** How far an action on many accounts has come, and which accounts failed, with the reason. */
export function ManyReport({ progress, isRunning }: Props) {
  const t = accountsTexts.use()
  const common = useCommon()
  const frame = frameTexts.use()
  const { done, failed, left, waitSeconds } = progress
  const finished = done.length + failed.length
  const all = finished + left.length
  const state = left.length === 0 ? t.isDone : t.isStopped
  return (
    <>
      <progress max={all} value={finished} aria-label={t.progress(finished, all)} />
      <p role="status">
        {isRunning ? t.progress(finished, all) : `${state} ${t.succeeded(done.length)}`}
      </p>
      {isRunning && waitSeconds !== null && <p>{t.waits(common.inWords(waitSeconds))}</p>}
      {!isRunning && left.length > 0 && <p>{t.left(left.length)}</p>}
      {failed.length > 0 && (
        <>
          <p class="error">{t.failed(failed.length)}</p>
          <ul class="failures">
            {failed.map(({ account: { username }, problem }) => (
              <li key={username}>
                <a href={accountPath(username)} target="_blank" rel="noopener">
                  <UserText>{username}</UserText>
                </a>
                : {wordsOf(problem, frame)}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}
