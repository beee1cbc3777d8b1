import { useLanguage } from '../../context.ts'
import { areasFor } from '../areas.ts'
import { frameTexts } from '../frame-texts.ts'
import { areKeysOn, isHelpOpen, searchField, setKeys } from '../keys.ts'
import { session } from '../session/session.ts'
import { Dialog } from './dialog.tsx'

type Row = [keys: readonly string[], text: string]

/** The keys of the console, and the switch that turns them off. */
export function HelpDialog() {
  const t = frameTexts.use()
  const language = useLanguage()
  if (!isHelpOpen.value) return null
  const close = () => {
    isHelpOpen.value = false
  }
  const rows: Row[] = [
    // A view without a search, for a person whom the bar offers none: the key would do nothing.
    ...(searchField() ? [[['/'], t.help.search] satisfies Row] : []),
    [['?'], t.help.itself],
    [['↑', '↓'], t.help.arrows],
    [['Esc'], t.help.escape],
    ...areasFor(session.value?.roles ?? [])
      .flat()
      .map(({ key, name }): Row => [['g', key], name[language]]),
  ]
  return (
    <Dialog title={t.help.title} onClose={close}>
      <dl class="keys">
        {rows.map(([keys, text]) => (
          <div key={text}>
            <dt>
              {keys.map((key, index) => (
                <>
                  {index > 0 && ' '}
                  <kbd>{key}</kbd>
                </>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={areKeysOn.value}
          onChange={({ currentTarget }) => setKeys(currentTarget.checked)}
        />
        {t.help.areOn}
      </label>
      <p class="muted">{t.help.times}</p>
      <div class="actions">
        <button type="button" class="quiet" data-first onClick={close}>
          {t.close}
        </button>
      </div>
    </Dialog>
  )
}
