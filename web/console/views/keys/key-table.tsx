import { api, dataOf } from '../../api/client.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { confirmed } from '../../components/confirm.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Mark } from '../../components/mark.tsx'
import { Time } from '../../components/time.tsx'
import { toast } from '../../components/toasts.tsx'
import { RotateButtons } from './rotate-buttons.tsx'
import { type Purpose, type StoredKey, stateTones } from './stored-key.ts'
import { keysTexts } from './texts.ts'

interface Props {
  readonly purpose: Purpose
  readonly keys: readonly StoredKey[]
  /** Something has changed; `leaked` is a key that should be retired as soon as it can be. */
  readonly onChanged: (leaked: string | null) => void
}

/** The keys of one purpose, and what can be done with them. */
export function KeyTable({ purpose, keys, onChanged }: Props) {
  const t = keysTexts.use()

  async function retire({ kid }: StoredKey): Promise<void> {
    const isSure = await confirmed({
      title: t.retireTitle(kid),
      effects: t.retireEffects[purpose],
      action: t.retire,
      isDangerous: true,
      typed: kid,
    })
    if (!isSure) return
    await dataOf(api.POST('/api/admin/keys/{kid}/retire', { params: { path: { kid } } }))
    toast(t.retired(kid))
    onChanged(null)
  }

  const times: Column<StoredKey>[] = [
    {
      key: 'signs',
      label: t.signsFrom,
      show: ({ signs_from: at }) => (at === null ? t.sinceMade : <Time at={at} />),
    },
    {
      key: 'verifies',
      label: t.verifiesUntil,
      show: ({ verifies_until: at }) => (at === null ? t.untilReplaced : <Time at={at} />),
    },
  ]
  const canAny = keys.some((key) => key.can_retire)
  const columns: Column<StoredKey>[] = [
    {
      key: 'kid',
      label: t.kid,
      show: ({ kid, configured }) => (
        <>
          <code>{kid}</code> {configured && <span class="muted">({t.configured})</span>}
        </>
      ),
    },
    {
      key: 'state',
      label: t.state,
      show: ({ state }) => <Mark tone={stateTones[state]}>{t.states[state]}</Mark>,
    },
    { key: 'algorithm', label: t.algorithm, show: ({ algorithm }) => algorithm },
    {
      key: 'created',
      label: t.createdAt,
      show: ({ created_at: at }) => (at === null ? '–' : <Time at={at} />),
    },
    ...(purpose === 'data' ? [] : times),
    ...(canAny
      ? [
          {
            key: 'action',
            label: t.action,
            show: (key: StoredKey) =>
              key.can_retire && (
                <ActionButton kind="danger" isSmall onClick={() => retire(key)}>
                  {t.retire}
                </ActionButton>
              ),
          },
        ]
      : []),
  ]
  const isConfigured = keys.some(({ configured, state }) => configured && state === 'signs')
  return (
    <section class="keys">
      <div class="heading">
        <h2>{t.purposes[purpose]}</h2>
        {purpose !== 'data' && !isConfigured && (
          <RotateButtons purpose={purpose} onRotated={onChanged} />
        )}
      </div>
      <p class="muted">{isConfigured ? t.configuredHint : t.hints[purpose]}</p>
      <DataTable
        caption={t.captions[purpose]}
        columns={columns}
        rows={keys}
        keyOf={({ kid }) => kid}
        empty={<p>{t.none}</p>}
      />
    </section>
  )
}
