import { changeAttributes, tagsOf } from './xml-part.ts'

/** A part of the drawing itself, or an embedded bitmap; an embedded drawing could reference files again. */
const isInside = (address: string): boolean =>
  address === '' || /^(#|data:image\/(png|jpe?g|gif|webp)[;,])/i.test(address)

/**
 * Removes external images, fonts and styles from SVG.
 * @param count called for each removal; its return value is the replacement
 */
export function closeSvg(text: string, count: () => string): string {
  const links = changeAttributes(text, (element, attribute, value) => {
    if (/^(href|src)$/.test(attribute) && element !== 'a' && !isInside(value.trim())) return count()
    return /^(style|fill|stroke|filter|mask|clip-path)$/.test(attribute) ? closeStyle(value, count) : value
  })
  return closeStyleElements(links.replace(/<\?xml-stylesheet[^<>]*\?>/gi, count), count)
}

function closeStyleElements(text: string, count: () => string): string {
  const parts: string[] = []
  let at = 0
  for (const { 0: tag, index } of text.matchAll(tagsOf('style'))) {
    const start = index + tag.length
    if (start <= at) continue
    const end = text.indexOf('</', start)
    const css = text.slice(start, end < 0 ? undefined : end)
    parts.push(text.slice(at, start), closeStyle(css, count).replace(/@import[^;<@]*;?/gi, count))
    at = start + css.length
  }
  return parts.join('') + text.slice(at)
}

/** Scans each address once: a style may contain very many that are never closed. */
function closeStyle(css: string, count: () => string): string {
  const lower = css.toLowerCase()
  const parts: string[] = []
  let at = 0
  for (let start = lower.indexOf('url('); start >= 0; start = lower.indexOf('url(', at)) {
    const end = css.indexOf(')', start)
    const address = css
      .slice(start + 4, end < 0 ? undefined : end)
      .trim()
      .replace(/^["']/, '')
    const stop = end < 0 ? css.length : end
    parts.push(css.slice(at, start), isInside(address) ? css.slice(start, stop) : `url(#${count()}`)
    at = stop
  }
  return parts.join('') + css.slice(at)
}
