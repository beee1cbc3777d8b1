// A database makes a difference: the stored clients are its rows.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startWorld } from './world.ts'

suite('applications in the console', async () => {
  const world = await startWorld()

  test('an application is added, gets a second secret, is disabled and removed', async () => {
    const hand = await world.window()
    const { page } = hand
    const action = (name: string) => page.getByRole('button', { name, exact: true })
    const confirm = (name: string) =>
      page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
    await hand.open('/admin/clients')
    await page.getByRole('link', { name: 'New application' }).click()
    await page.getByLabel('Client ID').fill('grafana')
    await page.getByLabel('Name', { exact: true }).fill('Grafana')
    await page.getByLabel('Redirect addresses').fill('http://grafana.example.org/cb')
    await action('Add the application').click()
    await page.getByText('must begin with https://').first().waitFor()
    await hand.assertSound('the form of an application')
    await page.getByLabel('Redirect addresses').fill('https://grafana.example.org/cb')
    await page.getByLabel('Only with a second factor').check()
    await action('Add the application').click()
    await page.getByRole('heading', { name: 'Paste this into the application' }).waitFor()
    const shown = await page.locator('main').innerText()
    for (const part of ['Client secret', `${world.url}/.well-known/openid-configuration`]) {
      assert.ok(shown.includes(part), part)
    }
    await hand.assertSound('what the application needs')
    await action('I have stored it').click()
    await page.getByRole('heading', { level: 1, name: 'Grafana' }).waitFor()
    const stored = async () => {
      const { data } = (await world.api('GET', '/api/admin/clients')) as { data: object[] }
      return data
    }
    const fields = {
      ...{ id: 'grafana', type: 'web', name: 'Grafana', source: 'database', secrets: 1 },
      ...{ redirect_uris: ['https://grafana.example.org/cb'], two_factor: true },
    }
    assert.deepEqual({ ...(await stored())[0], ...fields }, (await stored())[0])

    await page.getByLabel('Only for these roles').fill('EDITOR')
    await action('Save').click()
    await page.getByText('The client is changed.').waitFor()
    await action('New secret').click()
    await confirm('New secret')
    await page.getByText('The secret is shown here alone.').waitFor()
    await action('I have stored it').click()
    await action('End the earlier secret').click()
    await confirm('End the earlier secret')
    await action('End the earlier secret').waitFor({ state: 'detached' })
    await action('Disable').click()
    await confirm('Disable')
    await action('Enable').waitFor()
    await hand.assertSound('a disabled application')
    const now = { ...fields, allow: ['EDITOR'], disabled: true }
    assert.deepEqual({ ...(await stored())[0], ...now }, (await stored())[0])
    await page.getByRole('link', { name: 'All clients' }).click()
    await page.getByRole('row', { name: /Grafana grafana disabled/ }).waitFor()
    await hand.assertSound('the list')
    await page.getByRole('link', { name: 'Grafana' }).click()
    await action('Remove').click()
    await page.getByRole('dialog').getByRole('textbox').fill('grafana')
    await confirm('Remove')
    await page.getByText('There is no client.').waitFor()
    assert.deepEqual(await stored(), [])
    await hand.close()
  })
})
