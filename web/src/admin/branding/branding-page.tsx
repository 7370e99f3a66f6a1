/** Name, colours and logo of the instance. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { addressOf, call } from '../../api/call.ts'
import type { Branding } from '../../api/types.ts'
import { announce } from '../../app/announce.ts'
import { brand, loadBrand } from '../../app/brand.ts'
import { useWork } from '../../app/work.ts'
import { STRINGS } from '../../strings.ts'
import { useSharedProof } from '../proof.ts'
import { BrandColor } from './brand-color.tsx'
import { BrandPreview } from './brand-preview.tsx'

/** The logo: shown, replaced, removed. Saved at once. */
function Logo({ logoUrl }: { logoUrl: string | null }): JSX.Element {
  const { branding } = STRINGS.admin
  const work = useWork()
  const proof = useSharedProof()
  const change = (action: () => Promise<unknown>, sentence: string): Promise<void> =>
    work.run(() =>
      proof.guard(async () => {
        await action()
        await loadBrand()
        announce(sentence)
      }),
    )
  const upload = (event: { currentTarget: HTMLInputElement }): void => {
    const [file] = event.currentTarget.files ?? []
    event.currentTarget.value = ''
    if (!file) return
    const body = new FormData()
    body.append('file', file)
    change(() => call('api/v1/settings/logo', { method: 'POST', body }), branding.logoSaved)
  }
  return (
    <section class="card" aria-labelledby="logo-title">
      <h2 id="logo-title">{branding.logo}</h2>
      <p class="faint">{branding.logoHelp}</p>
      <p class="alert" role="alert">
        {work.message}
      </p>
      <div class="row">
        <span class="logo-box">
          {logoUrl ? (
            <img id="logo" src={addressOf(logoUrl)} alt={branding.logo} />
          ) : (
            <span class="faint small">{branding.noLogo}</span>
          )}
        </span>
        <label class="button plain file-button">
          {logoUrl ? branding.replaceLogo : branding.chooseLogo}
          <input type="file" accept="image/*" disabled={work.isBusy} onChange={upload} />
        </label>
        {logoUrl && (
          <button
            type="button"
            class="plain danger"
            disabled={work.isBusy}
            onClick={() => change(() => call('api/v1/settings/logo', { method: 'DELETE' }), branding.logoRemoved)}
          >
            {STRINGS.account.remove}
          </button>
        )}
      </div>
    </section>
  )
}

export function BrandingPage(): JSX.Element {
  const { branding, parts, users } = STRINGS.admin
  const work = useWork()
  const proof = useSharedProof()
  const draft = useSignal<Branding>(brand.value)
  useEffect(() => {
    work.run(async () => {
      await loadBrand()
      draft.value = brand.value
    })
  }, [])
  const { name, primaryColor, accentColor } = draft.value
  const set = (change: Partial<Branding>): void => {
    draft.value = { ...draft.value, ...change }
    work.say('')
  }
  const save = (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    return work.run(() =>
      proof.guard(async () => {
        const body = { name: name?.trim() || null, primaryColor, accentColor }
        brand.value = await call<Branding>('api/v1/branding', { method: 'PUT', body })
        draft.value = brand.value
        announce(users.saved)
        work.say(users.saved)
      }),
    )
  }
  return (
    <>
      <div>
        <h1 tabIndex={-1}>{parts.branding}</h1>
        <p class="faint">{branding.help}</p>
      </div>
      <form id="branding" class="card" onSubmit={save}>
        <label>
          {branding.name}
          <input
            name="name"
            maxLength={60}
            autocomplete="off"
            placeholder={STRINGS.product}
            value={name ?? ''}
            onInput={(event) => set({ name: event.currentTarget.value || null })}
          />
        </label>
        <BrandColor
          id="primary"
          label={branding.primary}
          help={branding.primaryHelp}
          value={primaryColor}
          isMain={primaryColor !== null}
          onChange={(color) => set({ primaryColor: color })}
        />
        <BrandColor
          id="accent"
          label={branding.accent}
          help={branding.accentHelp}
          value={accentColor}
          isMain={primaryColor === null && accentColor !== null}
          onChange={(color) => set({ accentColor: color })}
        />
        <BrandPreview draft={draft.value} />
        <p class={work.message === users.saved ? 'notice' : 'alert'} role="status">
          {work.message}
        </p>
        <div class="row">
          <button type="submit" disabled={work.isBusy}>
            {users.save}
          </button>
        </div>
      </form>
      <Logo logoUrl={brand.value.logoUrl} />
    </>
  )
}
