/** Elements that draw, and do nothing else: no script, no foreign content, no animation of attributes, no links. */
const ELEMENTS = new Set(
  (
    'svg g defs symbol use title desc metadata switch style path rect circle ellipse line polyline polygon text tspan textPath ' +
    'image marker pattern mask clipPath linearGradient radialGradient stop filter feBlend feColorMatrix feComponentTransfer ' +
    'feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB ' +
    'feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight ' +
    'feTile feTurbulence'
  ).split(' '),
)

/** One piece of the plainest XML there is: text, or a tag whose attributes are quoted. What is no such piece is not taken. */
const PIECE = /([^<]+)|<(\/?)([A-Za-z]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*\/?>/y
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g
/** Characters may be hidden by their numbers; these five have names that hide nothing. */
const HIDDEN = /&(?!(?:amp|lt|gt|quot|apos);)/
/** A place in the same file, or a picture of dots within it. */
const OWN = /^(?:#[\w.:-]*|data:image\/(?:png|jpe?g|gif|webp);base64,[A-Za-z0-9+/=\s]*)$/
/** What style sheets and values fetch or run; a backslash hides letters in them. */
const REACHES_OUT = /url\s*\(\s*(?!["']?#)|@import|image-set|expression|binding|script:|\\/i

function isHarmlessAttribute(name: string, value: string): boolean {
  const local = name.slice(name.indexOf(':') + 1).toLowerCase()
  if (local.startsWith('on') || HIDDEN.test(value)) return false
  if (local === 'href' || local === 'src') return OWN.test(value)
  return name.startsWith('xmlns') || !REACHES_OUT.test(value)
}

/** The text without comments and the declaration of XML; undefined where its bytes are no UTF-8 or say that they are not. */
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
 * Whether an SVG holds nothing but drawing. It is read by the narrowest rules, and what does not follow them (a document
 * type, sections of CDATA, entities, prefixed elements, another encoding than UTF-8) counts as not harmless: nothing is
 * left that a browser could read in another way.
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
    for (const [, key, double, single] of attributes.matchAll(ATTRIBUTE))
      if (!isHarmlessAttribute(key!, double ?? single!)) return false
  }
  return true
}
