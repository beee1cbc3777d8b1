import type { ComponentChildren } from 'preact'
import type { components } from '../../api/openapi.d.ts'
import { AccountLink } from '../../components/account-link.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { UserText } from '../../components/user-text.tsx'
import type { ImportReport } from './send-import.ts'
import { importsTexts } from './texts.ts'

type Line = components['schemas']['ImportLinePreview']
type Account = NonNullable<Line['account']>

/** What an import would do, line by line, beside what is there now. */
export function DryRun({ report }: { readonly report: ImportReport }) {
  const t = importsTexts.use()
  const { preview = [], errors, errors_total, lines } = report
  const columns: Column<Line>[] = [
    { key: 'line', label: t.line, isNumber: true, show: ({ line }) => line },
    {
      key: 'outcome',
      label: t.outcome,
      show: ({ outcome }) => (
        <span class={`mark ${outcome === 'import' ? 'good' : 'bad'}`}>{t.outcomes[outcome]}</span>
      ),
    },
    { key: 'account', label: t.account, show: (line) => <Wanted {...line} /> },
    { key: 'errors', label: t.why, show: (line) => <Why {...line} /> },
  ]
  const known = new Set(preview.map(({ line }) => line))
  const others = errors.filter(({ line }) => !known.has(line))
  return (
    <>
      {preview.length > 0 && (
        <DataTable
          caption={preview.length < lines ? t.firstLines(preview.length, lines) : t.allLines}
          columns={columns}
          rows={preview}
          keyOf={({ line }) => String(line)}
          empty={null}
        />
      )}
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
  const shown = compared.filter((name) => {
    const isUsual = { locked: false, active: true, must_change: false } as Partial<Account>
    if (present !== null) return textOf(account[name]) !== textOf(present[name])
    return account[name] !== null && account[name] !== isUsual[name as keyof Account]
  })
  const own =
    present === null ? shown : [...new Set<(typeof compared)[number]>(['username', ...shown])]
  return (
    <dl class="difference">
      {own.map((name) => {
        const before = present === null ? null : textOf(present[name])
        const wanted = textOf(account[name])
        return (
          <div key={name}>
            <dt>{t.fields[name]}</dt>
            <dd>
              {before !== null && before !== wanted && (
                <>
                  <del>
                    <UserText>{before === '' ? '–' : before}</UserText>
                  </del>{' '}
                </>
              )}
              <Marked isNew={before !== wanted}>
                <UserText>{wanted === '' ? '–' : wanted}</UserText>
              </Marked>
            </dd>
          </div>
        )
      })}
      {present === null && (
        <div>
          <dt>{t.fields.password}</dt>
          <dd>{account.password_hash ? t.hasHash : t.hasPassword}</dd>
        </div>
      )}
    </dl>
  )
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
