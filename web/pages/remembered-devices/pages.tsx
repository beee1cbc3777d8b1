import type {
  AccountDevicesView,
  RememberedDevicesViews,
} from '../../../src/extras/remembered-devices/pages/views.ts'
import { Actions, Button } from '../../components/button.tsx'
import { Address, Table, Time } from '../../components/data.tsx'
import { Form } from '../../components/form.tsx'
import { useTexts } from '../../context.ts'
import { deviceOf } from '../own-account/device.ts'
import { Back, Outcome } from '../own-account/outcome.tsx'
import type { PagesOf } from '../page.ts'

export const pages: PagesOf<RememberedDevicesViews> = {
  'account-devices': {
    title: (_view, { devices }) => devices.title,
    Content: Devices,
    isWide: true,
  },
}

function Devices({ view }: { view: AccountDevicesView }) {
  const { account, devices: t } = useTexts()
  const { csrf, devices } = view
  if (devices.length === 0) {
    return (
      <>
        <Outcome {...view} />
        <p>{t.none}</p>
        <Back />
      </>
    )
  }
  return (
    <>
      <Outcome {...view} />
      <p>{t.explanation}</p>
      <Table
        caption={t.title}
        head={[
          account.device,
          account.address,
          t.rememberedAt,
          t.lastUsed,
          t.until,
          account.action,
        ]}
        rows={devices.map((row) => {
          const device = deviceOf(row, account)
          return [
            row.isCurrent ? `${device} (${t.current})` : device,
            <Address key="address" of={row.address} />,
            <Time key="created" at={row.createdAt} />,
            <Time key="used" at={row.lastUsedAt} />,
            <Time key="until" at={row.endsAt} />,
            <Form
              key="forget"
              action="/account/devices/forget"
              csrf={csrf}
              hidden={{ device: row.id }}
            >
              <Button kind="quiet" label={t.forgetOne(device, row.address)}>
                {t.forget}
              </Button>
            </Form>,
          ]
        })}
      />
      <Form action="/account/devices/forget-all" csrf={csrf}>
        <Actions>
          <Button kind="danger">{t.forgetAll}</Button>
        </Actions>
      </Form>
      <Back />
    </>
  )
}
