import { render } from 'preact'
import { LocationProvider } from 'preact-iso'
import { isLanguage } from '../../../src/core/lib/languages.ts'
import { Notice } from '../../components/messages.tsx'
import { CommonContext } from '../../context.ts'
import { ApiProblem } from '../api/problem.ts'
import { ActionButton } from '../components/action-button.tsx'
import { ConfirmDialog, confirmed } from '../components/confirm.tsx'
import { ConflictDialog, wantsOwn } from '../components/conflict.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { Loaded, LoadFailed } from '../components/loaded.tsx'
import { LoginDialog } from '../components/login-dialog.tsx'
import { Mark } from '../components/mark.tsx'
import { Time } from '../components/time.tsx'
import { Toasts, toast } from '../components/toasts.tsx'
import { frameTexts } from '../frame-texts.ts'
import { askForLogin } from '../session/ask-for-login.ts'
import { csrfToken } from '../session/session.ts'

/** /dev/components, in development alone: what views are made of, in each of its states. */

interface Row {
  readonly name: string
  readonly state: 'good' | 'warning' | 'bad'
  readonly count: number
}

const long = `${'<b>x</b>'.repeat(12)}\u202Edesrever\u202C👩‍👩‍👧${'unbroken'.repeat(12)}`
const rows: readonly Row[] = [
  { name: 'ann', state: 'good', count: 3 },
  { name: long, state: 'warning', count: 1_234_567 },
  { name: 'ל־עברית', state: 'bad', count: 0 },
]
const columns: readonly Column<Row>[] = [
  {
    key: 'name',
    label: 'Name',
    isSortable: true,
    show: ({ name }) => (
      <a href="#row">
        <bdi class="cut" title={name}>
          {name}
        </bdi>
      </a>
    ),
  },
  {
    key: 'state',
    label: 'State',
    show: ({ state }) => <Mark tone={state}>{state}</Mark>,
  },
  { key: 'count', label: 'Count', isNumber: true, show: ({ count }) => count.toLocaleString() },
]
const nothing = () => {}
const load = { isLoading: false, reload: nothing, replace: nothing }
const wait = () => new Promise<void>((resolve) => setTimeout(resolve, 2000))

function Components() {
  return (
    <main id="main">
      <h1>Components</h1>
      <section>
        <h2>ActionButton</h2>
        <div class="actions">
          <ActionButton onClick={wait}>Takes 2 seconds</ActionButton>
          <ActionButton kind="quiet" onClick={wait}>
            Quiet
          </ActionButton>
          <ActionButton kind="danger" onClick={wait}>
            Danger
          </ActionButton>
          <ActionButton isSmall onClick={wait}>
            Small
          </ActionButton>
          <ActionButton disabled onClick={wait}>
            Disabled
          </ActionButton>
          <ActionButton
            kind="quiet"
            onClick={() =>
              Promise.reject(new ApiProblem({ status: 503, error: '', retryAfter: 7 }))
            }
          >
            Fails
          </ActionButton>
        </div>
      </section>
      <section>
        <h2>confirmed, wantsOwn, askForLogin, toast</h2>
        <div class="actions">
          <ActionButton kind="quiet" onClick={askDangerous}>
            A typed confirmation
          </ActionButton>
          <ActionButton kind="quiet" onClick={askWhich}>
            Two versions
          </ActionButton>
          <ActionButton kind="quiet" onClick={() => askForLogin('ended', csrfToken())}>
            A login in place
          </ActionButton>
          <button
            type="button"
            class="quiet"
            onClick={() => toast('ann is locked.', { undo: nothing })}
          >
            A toast with an undo
          </button>
          <button type="button" class="quiet" onClick={() => toast(long, { kind: 'bad' })}>
            A long one
          </button>
        </div>
      </section>
      <section>
        <h2>DataTable</h2>
        <DataTable
          caption="Three rows"
          columns={columns}
          rows={rows}
          keyOf={({ name }) => name}
          empty={<p>Nothing.</p>}
          sorted={{ by: 'name', isDescending: true }}
          onSort={nothing}
          selected={new Set(['ann'])}
          onSelect={nothing}
        />
        <DataTable
          caption="No rows"
          columns={columns}
          rows={[]}
          keyOf={({ name }) => name}
          empty={<p>There is nothing here yet. Do this first.</p>}
        />
      </section>
      <section>
        <h2>Loaded, LoadFailed</h2>
        <Loaded from={{ ...load, data: null, problem: null, isLoading: true }}>{() => null}</Loaded>
        <LoadFailed problem={new ApiProblem({ status: 0, error: '' })} retry={nothing} />
        <LoadFailed
          problem={new ApiProblem({ status: 429, error: 'Too many requests', retryAfter: 12 })}
          retry={nothing}
        />
      </section>
      <section>
        <h2>Notice, tiles, marks, tabs, Time</h2>
        <div class="tiles">
          {(['plain', 'good', 'warning'] as const).map((kind) => (
            <div class="tile" key={kind}>
              <h3>{kind}</h3>
              <Notice kind={kind}>
                <p>What an operator should know.</p>
              </Notice>
            </div>
          ))}
        </div>
        <ul class="tabs">
          <li>
            <a href="#one" aria-current="page">
              One
            </a>
          </li>
          <li>
            <a href="#two">Two</a>
          </li>
        </ul>
        <p>
          <Time at="2026-03-02T09:15:00.000Z" />
        </p>
      </section>
    </main>
  )
}

async function askDangerous(): Promise<void> {
  const effects = ['Ends 3 sessions and 2 tokens.', 'Removes the account. It cannot be undone.']
  const isConfirmed = await confirmed({
    title: 'Remove ann?',
    effects,
    action: 'Remove',
    isDangerous: true,
    typed: 'ann',
  })
  toast(isConfirmed ? 'Removed.' : 'Nothing was done.')
}

async function askWhich(): Promise<void> {
  const isOwn = await wantsOwn([
    { label: 'Name', theirs: 'Ann Example', own: long },
    { label: 'Roles', theirs: 'USER', own: 'USER, EDITOR' },
  ])
  toast(isOwn ? 'Yours.' : 'Theirs.')
}

const { lang } = document.documentElement
const language = isLanguage(lang) ? lang : 'en'
await frameTexts.load(language)
const { common } = frameTexts.use()
const place = document.getElementById('components')
if (place) {
  render(
    <CommonContext.Provider value={{ language, common }}>
      <LocationProvider>
        <Components />
        <ConfirmDialog />
        <ConflictDialog />
        <LoginDialog />
        <Toasts />
      </LocationProvider>
    </CommonContext.Provider>,
    place,
  )
}
