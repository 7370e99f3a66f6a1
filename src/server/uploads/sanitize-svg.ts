/** Elements that only draw: no scripts, foreign content, attribute animation or links. */
const ELEMENTS = new Set(
  (
    'svg g defs symbol use title desc metadata switch style path rect circle ellipse line polyline polygon text tspan textPath ' +
    'image marker pattern mask clipPath linearGradient radialGradient stop filter feBlend feColorMatrix feComponentTransfer ' +
    'feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB ' +
    'feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight ' +
    'feTile feTurbulence'
  ).split(' '),
)

/** One token of a minimal XML subset: text, or a tag with quoted attributes. Anything else is refused. */
const PIECE = /([^<]+)|<(\/?)([A-Za-z]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*\/?>/y
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g
/** Numeric references can hide characters; these five named ones hide nothing. */
const HIDDEN = /&(?!(?:amp|lt|gt|quot|apos);)/
/** A reference within the same file, or an embedded raster image. */
const OWN = /^(?:#[\w.:-]*|data:image\/(?:png|jpe?g|gif|webp);base64,[A-Za-z0-9+/=\s]*)$/
/** Parts of style sheets and values that load or run something; a backslash can hide letters in them. */
const REACHES_OUT = /url\s*\(\s*(?!["']?#)|@import|image-set|expression|binding|script:|\\/i

function isHarmlessAttribute(name: string, value: string): boolean {
  const local = name.slice(name.indexOf(':') + 1).toLowerCase()
  if (local.startsWith('on') || HIDDEN.test(value)) return false
  if (local === 'href' || local === 'src') return OWN.test(value)
  return name.startsWith('xmlns') || !REACHES_OUT.test(value)
}

/** The text without comments and XML declaration; undefined if it is not, or does not declare, UTF-8. */
function plainText(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text
      .replace(/^\s*<\?xml(?:\s+(?:version="1\.[01]"|encoding="utf-8"|standalone="(?:yes|no)"))*\s*\?>/i, '')
      .replace(/<!--(?:(?!--)[\s\S])*-->/g, '')
  } catch {
    return undefined
  }
}

/**
 * Whether an SVG contains only drawing. The rules are strict, and anything beyond them (a document type, CDATA
 * sections, entities, prefixed elements, an encoding other than UTF-8) counts as harmful: a browser must have no other
 * way to interpret the file.
 */
export function isHarmlessSvg(bytes: Buffer): boolean {
  const text = plainText(bytes)
  if (text === undefined) return false
  let inStyle = false
  PIECE.lastIndex = 0
  for (let at = 0; at < text.length; at = PIECE.lastIndex) {
    const [, words, close, name, attributes = ''] = PIECE.exec(text) ?? []
    if (words !== undefined) {
      if (inStyle && (HIDDEN.test(words) || REACHES_OUT.test(words))) return false
      continue
    }
    if (name === undefined || !ELEMENTS.has(name)) return false
    inStyle = name === 'style' && close === ''
    for (const [, key = '', double, single = ''] of attributes.matchAll(ATTRIBUTE))
      if (!isHarmlessAttribute(key, double ?? single)) return false
  }
  return true
}
