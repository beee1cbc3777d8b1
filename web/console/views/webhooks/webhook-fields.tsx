import { CheckField, RadioFields, TextArea, TextField } from '../../components/fields.tsx'
import { type EventChoice, groups, groupsAmong, toggled } from './event-choice.ts'
import { webhooksTexts } from './texts.ts'
import type { Webhook } from './webhook.ts'

/** What the form of a webhook holds. */
export interface WebhookDraft {
  readonly url: string
  readonly description: string
  readonly content: Webhook['content']
  readonly choice: EventChoice
}

interface Props {
  readonly draft: WebhookDraft
  readonly change: (changes: Partial<WebhookDraft>) => void
  readonly problemOf: (field: string) => string | undefined
}

/** The fields of a webhook, new or not. */
export function WebhookFields({ draft, change, problemOf }: Props) {
  const { form: t } = webhooksTexts.use()
  return (
    <>
      <TextField
        name="url"
        type="url"
        label={t.url}
        hint={t.urlHint}
        problem={problemOf('url')}
        maxLength={2048}
        isRequired
        value={draft.url}
        onChange={(url) => change({ url })}
      />
      <TextField
        name="description"
        label={t.description}
        hint={t.descriptionHint}
        problem={problemOf('description')}
        maxLength={200}
        isOptional
        value={draft.description}
        onChange={(description) => change({ description })}
      />
      <EventFields
        choice={draft.choice}
        change={(changes) => change({ choice: { ...draft.choice, ...changes } })}
        problem={problemOf('events')}
      />
      <RadioFields
        name="content"
        legend={t.content}
        value={draft.content}
        options={[
          ['ids', t.ids, t.idsHint],
          ['full', t.full, t.fullHint],
        ]}
        onChange={(content) => change({ content })}
      />
    </>
  )
}

interface EventProps {
  readonly choice: EventChoice
  readonly change: (changes: Partial<EventChoice>) => void
  readonly problem: string | undefined
}

function EventFields({ choice, change, problem }: EventProps) {
  const { form: t, eventWords } = webhooksTexts.use()
  const { isAll, ticked, others } = choice
  const tick = (name: string) => change({ ticked: toggled(ticked, name) })
  const grouped = new Set<string>(Object.values(groups))
  const single = Object.entries(eventWords).filter(([name]) => !grouped.has(name))
  const count = single.filter(([name]) => ticked.has(name)).length
  return (
    <fieldset>
      <legend>{t.events}</legend>
      {problem && <p class="error">{problem}</p>}
      <CheckField
        label={t.all}
        hint={t.allHint}
        isChecked={isAll}
        onChange={(checked) => change({ isAll: checked })}
      />
      {!isAll && (
        <>
          {groupsAmong(Object.keys(eventWords)).map((id) => (
            <CheckField
              key={id}
              label={
                <>
                  {t.groups[id]} <code class="muted">{groups[id]}</code>
                </>
              }
              isChecked={ticked.has(groups[id])}
              onChange={() => tick(groups[id])}
            />
          ))}
          <details class="every-event">
            <summary>{t.single(count)}</summary>
            {single.map(([name, words]) => (
              <CheckField
                key={name}
                label={
                  <>
                    {words} <code class="muted">{name}</code>
                  </>
                }
                isChecked={ticked.has(name)}
                onChange={() => tick(name)}
              />
            ))}
          </details>
          <TextArea
            name="events"
            label={t.names}
            hint={t.namesHint}
            rows={2}
            isOptional
            value={others}
            onChange={(typed) => change({ others: typed })}
          />
        </>
      )}
    </fieldset>
  )
}
