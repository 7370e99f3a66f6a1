import type { JSX } from 'preact'
import type { Branding } from '../../api/types.ts'
import { mainColorOf } from '../../app/brand.ts'
import { BrandMark } from '../../app/brand-mark.tsx'
import { DARK, type Ground, LIGHT, schemeOf } from '../../app/contrast.ts'
import { STRINGS } from '../../strings.ts'

/** A button and a link in the colours of one theme. */
function Sample({ color, theme }: { color: string; theme: Ground }): JSX.Element {
  const { branding } = STRINGS.admin
  const { accent, on, soft } = schemeOf(color, theme)
  const [card] = theme.grounds
  // Set by the script, which the policy of the page permits; no style is in a document.
  return (
    <div class="brand-sample" style={{ background: card }}>
      <span class="brand-button" style={{ background: accent, color: on }}>
        {branding.sampleButton}
      </span>
      <span class="brand-link" style={{ color: accent }}>
        {branding.sampleLink}
      </span>
      <span class="brand-soft" style={{ background: soft, color: accent }}>
        {theme.isDark ? branding.dark : branding.light}
      </span>
    </div>
  )
}

/** How the colours look, in both themes, before they are saved. */
export function BrandPreview({ draft }: { draft: Branding }): JSX.Element | null {
  const { branding } = STRINGS.admin
  const color = mainColorOf(draft)
  if (color === null || !/^#[0-9a-f]{6}$/i.test(color)) return null
  return (
    <fieldset class="brand-preview">
      <legend>{branding.preview}</legend>
      <p class="brand">
        <BrandMark />
      </p>
      <div class="pair">
        <Sample color={color} theme={LIGHT} />
        <Sample color={color} theme={DARK} />
      </div>
    </fieldset>
  )
}
