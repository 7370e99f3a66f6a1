import type { JSX } from 'preact'
import { contrast, DARK, LIGHT, schemeOf } from '../../app/contrast.ts'
import { STRINGS } from '../../strings.ts'

const COLOR = /^#[0-9a-f]{6}$/i

interface BrandColorProps {
  id: string
  label: string
  help: string
  value: string | null
  /** Buttons and links have this colour. */
  isMain: boolean
  onChange(value: string | null): void
}

/** What the console makes of a colour whose text would be hard to read; one sentence for each theme. */
export function adaptations(color: string): string[] {
  const { branding } = STRINGS.admin
  return [LIGHT, DARK].flatMap((theme) => {
    const { accent } = schemeOf(color, theme)
    if (accent === color.toLowerCase()) return []
    const least = Math.min(...theme.grounds.map((ground) => contrast(color, ground)))
    return branding.adapted(color, theme.isDark, least, accent)
  })
}

/** A colour: picked, typed or none. */
export function BrandColor({ id, label, help, value, isMain, onChange }: BrandColorProps): JSX.Element {
  const { branding } = STRINGS.admin
  const isColor = value !== null && COLOR.test(value)
  return (
    <div class="field">
      <label for={`${id}-color`}>{label}</label>
      <div class="row">
        <input
          type="color"
          aria-label={branding.pick(label)}
          value={isColor ? value : '#3b5bdb'}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
        <input
          id={`${id}-color`}
          class="mono color-text"
          maxLength={7}
          autocomplete="off"
          spellcheck={false}
          placeholder={STRINGS.form.notSet}
          aria-describedby={`${id}-help`}
          value={value ?? ''}
          onInput={(event) => onChange(event.currentTarget.value || null)}
        />
        {value !== null && (
          <button type="button" class="quiet" onClick={() => onChange(null)}>
            {branding.clear(label)}
          </button>
        )}
      </div>
      <p class="help" id={`${id}-help`}>
        {help}
      </p>
      {isMain &&
        isColor &&
        adaptations(value).map((sentence) => (
          <p key={sentence} class="notice small adapted" role="status">
            {sentence}
          </p>
        ))}
    </div>
  )
}
