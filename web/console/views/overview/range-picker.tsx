import { useState } from 'preact/hooks'
import { Notice } from '../../../components/messages.tsx'
import { Time } from '../../components/time.tsx'
import { useAddress } from '../../use-address.ts'
import { type RangeName, rangeIn, rangeNames, ranges } from './ranges.ts'
import { overviewTexts } from './texts.ts'

/** The range that the address names; `sawSince` tells when counting began. */
export function useRange() {
  const [isNew, setNew] = useState(false)
  const name = rangeIn(useAddress().fields.range, isNew)
  return {
    name,
    range: ranges[name],
    sawSince(since: string | null | undefined) {
      if (since) setNew(Date.now() - Date.parse(since) < ranges['3h'].length * 1000)
    },
  }
}

interface Props {
  readonly name: RangeName
  readonly since: string | null
  readonly lost: number
}

/** The time that figures and plots show, and what they may lack. */
export function RangePicker({ name, since, lost }: Props) {
  const t = overviewTexts.use()
  const { change } = useAddress()
  const isYoung = since !== null && Date.now() - Date.parse(since) < ranges[name].length * 1000
  return (
    <>
      <div class="ranges">
        <fieldset>
          <legend class="said">{t.ranges.label}</legend>
          {rangeNames.map((one) => (
            <label key={one}>
              <input
                type="radio"
                name="range"
                checked={one === name}
                onChange={() => change({ range: one }, { replace: true })}
              />
              <span>{t.ranges[one]}</span>
            </label>
          ))}
        </fieldset>
        {isYoung && (
          <span class="muted">
            {t.plot.since} <Time at={since} />
          </span>
        )}
      </div>
      {lost > 0 && <Notice kind="warning">{t.plot.lost(lost)}</Notice>}
    </>
  )
}
