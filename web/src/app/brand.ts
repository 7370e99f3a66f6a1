/** The name, colours and logo of the instance, as administrators set them. */
import { computed, effect, signal } from '@preact/signals'
import { addressOf, call } from '../api/call.ts'
import type { Branding, GetBranding } from '../api/types.ts'
import { STRINGS } from '../strings.ts'
import { DARK, LIGHT, type Scheme, schemeOf } from './contrast.ts'

export const UNBRANDED: Branding = { name: null, primaryColor: null, accentColor: null, logoUrl: null }

export const brand = signal<Branding>(UNBRANDED)

export const productName = computed(() => brand.value.name ?? STRINGS.product)

/** The console works without it. */
export async function loadBrand(): Promise<void> {
  brand.value = await call<GetBranding>('api/v1/branding', { mayBeSignedOut: true }).catch(() => brand.peek())
}

/** The colour of buttons and links. */
export const mainColorOf = ({ primaryColor, accentColor }: Branding): string | null => primaryColor ?? accentColor

const rules = ({ accent, hover, soft, on }: Scheme): string =>
  `--accent: ${accent}; --accent-hover: ${hover}; --accent-soft: ${soft}; --on-accent: ${on};`

function styleOf(shown: Branding): string {
  const main = mainColorOf(shown)
  const stripe = shown.accentColor ? `:root { --stripe: ${shown.accentColor}; }` : ''
  if (main === null) return stripe
  const [light, dark] = [rules(schemeOf(main, LIGHT)), rules(schemeOf(main, DARK))]
  return (
    `${stripe} :root { ${light} } :root[data-theme="dark"] { ${dark} } ` +
    `@media (prefers-color-scheme: dark) { :root[data-theme="auto"] { ${dark} } }`
  )
}

/** A sheet of the script: the policy of the page refuses styles in the document. */
const sheet = new CSSStyleSheet()
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]

effect(() => sheet.replaceSync(styleOf(brand.value)))

const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')
const [ownIcon, ownType] = [icon?.href ?? '', icon?.type ?? '']

effect(() => {
  const { logoUrl } = brand.value
  if (!icon) return
  icon.href = logoUrl ? addressOf(logoUrl) : ownIcon
  icon.type = logoUrl ? 'image/png' : ownType
})

let part: string | undefined

/** Names the page in the title of the window; without a name, the title is that of the product. */
export function setTitle(name?: string): void {
  part = name
  document.title = name ? `${name} – ${productName.peek()}` : productName.peek()
}

effect(() => {
  document.title = part ? `${part} – ${productName.value}` : productName.value
})
