/** Scripts that Chromium evaluates in a page before printing; the page's own scripts are disabled. */

/** Resources that a page references but that were not loaded. */
export interface MissingFiles {
  /** URLs that caused no request, since they are relative or local. */
  unasked: string[]
  /** Embedded images (`data:`) that cannot be decoded. */
  damaged: number
}

/**
 * Expression for `MissingFiles`. A page printed from its text has no URL, so Chromium requests no relative URLs, and
 * without a network it blocks `file:` itself. Ignores hidden elements.
 */
export const MISSING_FILES = `(() => {
  const unasked = new Set()
  let damaged = 0
  const note = (address) => {
    if (!address || address.startsWith('#')) return
    if (!URL.canParse(address, document.baseURI)) return void unasked.add(address)
    const url = new URL(address, document.baseURI)
    if (!['http:', 'https:', 'data:', 'blob:', 'about:', 'javascript:'].includes(url.protocol)) unasked.add(url.href)
  }
  const styles = (rules) => {
    for (const rule of rules) if (rule instanceof CSSImportRule) note(rule.href)
  }
  for (const sheet of document.styleSheets) try { styles(sheet.cssRules) } catch {}
  for (const link of document.querySelectorAll('link[rel~=stylesheet i]')) note(link.getAttribute('href'))
  for (const element of document.querySelectorAll('body, body *')) {
    if (element.getClientRects().length === 0) continue
    const name = element.localName
    if (name === 'img' || (name === 'input' && element.type === 'image')) {
      const address = element.currentSrc || element.getAttribute('src')
      note(address)
      if (name === 'img' && /^data:/i.test(address ?? '') && element.complete && element.naturalWidth === 0) damaged += 1
    } else if (name === 'image') note(element.getAttribute('href') ?? element.getAttribute('xlink:href'))
    else if (name === 'iframe' || name === 'embed') note(element.getAttribute('src'))
    else if (name === 'object') note(element.getAttribute('data'))
    else if (name === 'video') note(element.getAttribute('poster'))
    const style = getComputedStyle(element)
    for (const value of [style.backgroundImage, style.listStyleImage, style.borderImageSource])
      if (value !== 'none') for (const [, address] of value.matchAll(/url\\("((?:[^"\\\\]|\\\\.)*)"\\)/g)) note(address)
  }
  return { unasked: [...unasked], damaged }
})()`

/**
 * Expression for the left and right margins that the page specifies (CSS `@page` without a selector), in CSS px.
 * @param fallback for pages that specify none, a CSS length
 */
export const sideMargins = (fallback: string): string => `(() => {
  let [left, right] = ['', '']
  const look = (rules) => {
    for (const rule of rules) {
      if (rule instanceof CSSPageRule && rule.selectorText === '') {
        left = rule.style.marginLeft || left
        right = rule.style.marginRight || right
      } else if (rule instanceof CSSMediaRule && matchMedia(rule.conditionText).matches) look(rule.cssRules)
    }
  }
  for (const sheet of document.styleSheets) try { look(sheet.cssRules) } catch {}
  const ruler = document.createElement('div')
  document.documentElement.append(ruler)
  const lengths = [left, right].map((length) => {
    ruler.style.cssText = 'all: initial; display: block; position: absolute; box-sizing: content-box; width: ' + ${JSON.stringify(fallback)}
    if (length !== '') ruler.style.width = length
    return ruler.getBoundingClientRect().width
  })
  ruler.remove()
  return lengths[0] + lengths[1]
})()`

/** Content beyond the page edge at the end of its lines. */
export interface Overflow {
  /** The cut content with its first cut words, each as `a table ("EUR")`. */
  cut: string[]
  /** Whether the page itself is wider, not only the content of scrolling boxes. */
  ofPage: boolean
}

/**
 * Expression for `Overflow` in a viewport as wide as the printable area. Checks only text and images. Content that an
 * author clips (`overflow: hidden`) or places completely outside the page (an off-canvas menu) is hidden intentionally.
 */
export const OVERFLOW = `(() => {
  const SLACK = 1.5
  const width = document.documentElement.clientWidth
  const fromRight = getComputedStyle(document.documentElement).direction === 'rtl' || (document.body && getComputedStyle(document.body).direction === 'rtl')
  const beyond = (box, left, right) => (fromRight ? box.left < left - SLACK : box.right > right + SLACK)
  const outside = (box, left, right) => (fromRight ? box.right <= left : box.left >= right)
  const isSeen = (style) => style.visibility === 'visible' && style.opacity !== '0'
  /** Whether a box is cut: by the page, or by a scrolling box. */
  const isCut = (box, element) => {
    if (box.width === 0 || box.height === 0) return false
    let cut = beyond(box, 0, width)
    for (let at = element; at && at !== document.body && at !== document.documentElement; at = at.parentElement) {
      const style = getComputedStyle(at)
      if (!isSeen(style)) return false
      if ((style.position === 'absolute' || style.position === 'fixed') && outside(at.getBoundingClientRect(), 0, width)) return false
      if (at === element && !at.firstChild) continue
      if (style.overflowX === 'hidden' || style.overflowX === 'clip') return false
      if (style.overflowX === 'auto' || style.overflowX === 'scroll') {
        const frame = at.getBoundingClientRect()
        if (at.scrollWidth > at.clientWidth + SLACK && beyond(box, frame.left, frame.right)) return true
        if (!beyond(frame, 0, width)) cut = false
      }
    }
    return cut
  }
  const KINDS = { table: 'a table', pre: 'preformatted text', img: 'a picture', svg: 'a drawing', canvas: 'a drawing' }
  const found = new Map()
  const note = (element, text) => {
    const holder = element.closest('table, pre, svg, img, canvas') ?? element
    if (found.has(holder)) return
    const words = text.replace(/\\s+/g, ' ').trim().slice(0, 40)
    found.set(holder, (KINDS[holder.localName] ?? 'text') + (words === '' ? '' : ' ("' + words + '")'))
  }
  const range = document.createRange()
  const texts = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    if (node.data.trim() === '' || found.has(node.parentElement)) continue
    range.selectNodeContents(node)
    if (isCut(range.getBoundingClientRect(), node.parentElement)) note(node.parentElement, node.data)
  }
  for (const element of document.querySelectorAll('img, svg, canvas, video, input, textarea, select'))
    if (isCut(element.getBoundingClientRect(), element)) note(element, element.getAttribute('alt') ?? '')
  return { cut: [...found.values()].slice(0, 20), ofPage: document.documentElement.scrollWidth > width + SLACK }
})()`
