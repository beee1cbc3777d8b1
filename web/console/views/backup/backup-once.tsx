import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { ActionForm } from '../../components/action-form.tsx'
import { CheckField, TextField } from '../../components/fields.tsx'
import { toast } from '../../components/toasts.tsx'
import { backupsTexts } from './texts.ts'

interface Props {
  readonly onMade: () => void
}

/** One backup now, without a setting. The passphrase is asked for each time, and stored nowhere. */
export function BackupOnce({ onMade }: Props) {
  const t = backupsTexts.use().once
  const [passphrase, setPassphrase] = useState('')
  const [isOpen, setOpen] = useState(false)

  async function make(): Promise<void> {
    const body = isOpen ? { unencrypted: true } : { passphrase }
    await dataOf(api.POST('/api/admin/backups', { body }))
    setPassphrase('')
    setOpen(false)
    toast(t.made)
    onMade()
  }
  return (
    <ActionForm action={t.make} onSubmit={make}>
      {(problemOf) => (
        <>
          {!isOpen && (
            <TextField
              name="passphrase"
              label={t.passphrase}
              hint={t.passphraseHint}
              isRequired
              value={passphrase}
              onChange={setPassphrase}
              problem={problemOf('passphrase')}
            />
          )}
          <CheckField
            label={t.unencrypted}
            hint={t.unencryptedHint}
            isChecked={isOpen}
            onChange={setOpen}
          />
        </>
      )}
    </ActionForm>
  )
}
