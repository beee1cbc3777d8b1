import type { ComponentChildren } from 'preact'
import type { components } from '../../api/openapi.d.ts'
import { AccountLink } from '../../components/account-link.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Mark } from '../../components/mark.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user-text.tsx'
import type { ImportReport } from './send-import.ts'
import { importsTexts } from './texts.ts'

type Line = components['schemas']['ImportLinePreview']
type Account = NonNullable<Line['account']>

/** What an import would do, line by line, next to what is there now. The lines that it would refuse come first. */
export function DryRun({ report }: { readonly report: ImportReport }) {
  const t = importsTexts.use()
  const { preview = [], errors, errors_total, lines } = report
  const columns: Column<Line>[] = [
    { key: 'line', label: t.line, isNumber: true, show: ({ line }) => line },
    {
      key: 'outcome',
      label: t.outcome,
      show: ({ outcome }) => (
        <Mark tone={outcome === 'import' ? 'good' : 'bad'}>{t.outcomes[outcome]}</Mark>
      ),
    },
    { key: 'account', label: t.account, show: (line) => <Wanted {...line} /> },
    { key: 'errors', label: t.why, show: (line) => <Why {...line} /> },
  ]
  const known = new Set(preview.map(({ line }) => line))
  const others = errors.filter(({ line }) => !known.has(line))
  const refused = preview.filter(({ outcome }) => outcome === 'refuse')
  const good = preview.filter(({ outcome }) => outcome === 'import')
  const table = (rows: readonly Line[], caption: string) =>
    rows.length > 0 && (
      <DataTable
        caption={caption}
        columns={columns}
        rows={rows}
        keyOf={({ line }) => String(line)}
        empty={null}
      />
    )
  const isComplete = preview.length === lines
  return (
    <>
      {table(refused, t.refusedLines(refused.length))}
      {others.length > 0 && (
        <>
          <h3>{t.moreMistakes}</h3>
          <ul class="failures">
            {others.map(({ line, path, message }, index) => (
              <li key={index}>
                {t.inLine(line)}: {[...path, message].join(' ')}
              </li>
            ))}
          </ul>
          {errors_total > errors.length && <p>{t.shownMistakes(errors.length, errors_total)}</p>}
        </>
      )}
      {table(good, isComplete ? t.goodLines(good.length) : t.firstLines(good.length))}
    </>
  )
}

const compared = [
  'username',
  'name',
  'email',
  'roles',
  'user_id',
  'locked',
  'active',
  'must_change',
  'created_at',
] as const satisfies readonly (keyof Account & keyof NonNullable<Line['present']>)[]

/** The account of a line; what is there already and differs is crossed out before it. */
function Wanted({ account, present }: Line) {
  const t = importsTexts.use()
  if (account === null) return <span class="muted">{t.unreadable}</span>
  return (
    <dl class="difference">
      {fieldsOf(account, present).map((name) => {
        const before = present === null ? '' : textOf(present[name])
        const wanted = textOf(account[name])
        const isOther = present !== null && before !== wanted
        return (
          <div key={name}>
            <dt>{t.fields[name]}</dt>
            <dd>
              {isOther && (
                <>
                  <del>
                    <Value name={name} text={before} />
                  </del>{' '}
                </>
              )}
              <Marked isNew={before !== wanted}>
                <Value name={name} text={wanted} />
              </Marked>
            </dd>
          </div>
        )
      })}
      {present === null && (
        <div>
          <dt>{t.fields.password}</dt>
          <dd>
            {account.password_hash ? t.hasHash : account.password ? t.hasPassword : t.hasNone}
          </dd>
        </div>
      )}
    </dl>
  )
}

const usual: Partial<Account> = { locked: false, active: true, must_change: false }

/** Of a new account what the line says and is not the default; else its name and what differs. */
function fieldsOf(account: Account, present: Line['present']) {
  return compared.filter((name) => {
    if (account[name] === null) return false
    if (name === 'username') return true
    if (present === null) return account[name] !== usual[name]
    return textOf(account[name]) !== textOf(present[name])
  })
}

function Value({
  name,
  text,
}: {
  readonly name: (typeof compared)[number]
  readonly text: string
}) {
  if (name === 'created_at' && text !== '') return <Time at={text} />
  return <UserText>{text === '' ? '–' : text}</UserText>
}

function Marked({ isNew, children }: { isNew: boolean; children: ComponentChildren }) {
  return isNew ? <ins>{children}</ins> : <span>{children}</span>
}

function Why({ errors, present }: Line) {
  const t = importsTexts.use()
  if (errors.length === 0) return <>{t.newAccount}</>
  return (
    <>
      <ul class="plain">
        {errors.map(({ path, message }, index) => (
          <li key={index}>{[...path, message].join(' ')}</li>
        ))}
      </ul>
      {present !== null && (
        <p>
          {t.isThere} <AccountLink name={present.username} />
        </p>
      )}
    </>
  )
}

function textOf(value: Account[(typeof compared)[number]]): string {
  return Array.isArray(value) ? value.join(', ') : String(value ?? '')
}
