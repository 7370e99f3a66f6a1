import type { MathElement, MathNode } from '../documents/rich-text.ts'

/** Operators with limits that Word draws as one object, whose operand follows (ISO/IEC 29500-1, 22.1.2.70). */
const NARY = /^[∑∏∐∫∬∭∮∯∰⋀⋁⋂⋃⨀⨁⨂⨄⨆]$/
/** Operators without a glyph: function application and others. */
const INVISIBLE = /[\u2061-\u2064]/g
const OVERLINES = new Set(['‾', '¯', '―', '_', 'ˉ', '\u0304', '\u0305', '\u0332'])
const BRACES = /^[⏞⏟⎴⎵⏠⏡]$/
/** Accents as spacing characters, and the combining ones that Word expects. */
const ACCENTS: Readonly<Record<string, string>> = {
  ...{ '^': '\u0302', ˆ: '\u0302', '~': '\u0303', '˜': '\u0303', '˙': '\u0307', '¨': '\u0308', ˇ: '\u030c' },
  ...{ '˘': '\u0306', '´': '\u0301', ˊ: '\u0301', '`': '\u0300', ˋ: '\u0300', '˚': '\u030a', '→': '\u20d7' },
}

const xmlText = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

const textOf = (node: MathNode | undefined): string =>
  node === undefined ? '' : typeof node === 'string' ? node : node.children.map(textOf).join('')

const symbolOf = (node: MathNode | undefined): string => textOf(node).replace(INVISIBLE, '').trim()

const elementsIn = ({ children }: MathElement): MathElement[] => children.filter((child) => typeof child !== 'string')

/** `sty` p is upright; without it letters are italic. `nor` is text. */
function run(text: string, look: '' | '<m:nor/>' | '<m:sty m:val="p"/>' = ''): string {
  if (text === '') return ''
  // docx removes white space at the ends.
  const kept = text.replace(/^(?=\s)|(?<=\s)$/g, '\u200b')
  return `<m:r>${look === '' ? '' : `<m:rPr>${look}</m:rPr>`}<m:t xml:space="preserve">${xmlText(kept)}</m:t></m:r>`
}

const value = (name: string, content: string): string => `<m:${name} m:val="${xmlText(content)}"/>`
const within = (name: string, content: string): string => `<m:${name}>${content}</m:${name}>`
/** An argument; an empty one has an invisible character, because Word draws a box for a missing one. */
const argument = (name: string, node: MathElement | undefined): string =>
  within(name, (node && row([node])) || run('\u200b'))

/** A big operator with its limits; undefined for another base. */
function nary(node: MathElement): { limits: string; isComplete: true } | undefined {
  const [base, first, second] = elementsIn(node)
  const hasLimits = /^(msub|msup|msubsup|munder|mover|munderover)$/.test(node.name)
  const symbol = symbolOf(hasLimits ? base : node)
  if (!NARY.test(symbol) || (!hasLimits && node.name !== 'mo')) return undefined
  const [below, above] = /^(msup|mover)$/.test(node.name) ? [undefined, first] : hasLimits ? [first, second] : []
  const place = node.name.startsWith('mu') || node.name.startsWith('mo') ? 'undOvr' : 'subSup'
  const hidden = [value('subHide', below ? '0' : '1'), value('supHide', above ? '0' : '1')].join('')
  const properties = within('naryPr', value('chr', symbol) + value('limLoc', place) + hidden)
  const limits =
    properties + (below ? argument('sub', below) : '<m:sub/>') + (above ? argument('sup', above) : '<m:sup/>')
  return { limits, isComplete: true }
}

const isFence = ({ name, attributes }: MathElement): boolean => name === 'mo' && attributes.fence === 'true'

/** Elements in a row: brackets enclose what is between them, and big operators take the next element. */
function row(elements: readonly MathElement[]): string {
  const parts: string[] = []
  for (let index = 0; index < elements.length; index += 1) {
    const element = elements[index] as MathElement
    const operator = nary(element)
    if (operator) {
      index += 1
      parts.push(within('nary', operator.limits + argument('e', elements[index])))
      continue
    }
    if (!isFence(element)) {
      parts.push(omml(element))
      continue
    }
    const rest = elements.slice(index + 1)
    const end = rest.findLastIndex(isFence)
    const inner = end < 0 ? rest : rest.slice(0, end)
    const closing = end < 0 ? '' : symbolOf(rest[end])
    const properties = within('dPr', value('begChr', symbolOf(element)) + value('endChr', closing))
    parts.push(within('d', properties + within('e', row(inner) || run('\u200b'))))
    index += inner.length + (end < 0 ? 0 : 1)
  }
  return parts.join('')
}

/** A mark above or below: an accent, a line, a brace, or a limit. */
function marked(node: MathElement, place: 'top' | 'bot'): string {
  const [base, mark] = elementsIn(node)
  const symbol = symbolOf(mark)
  if (OVERLINES.has(symbol)) return within('bar', within('barPr', value('pos', place)) + argument('e', base))
  if (BRACES.test(symbol)) {
    const properties = value('chr', symbol) + value('pos', place) + value('vertJc', place === 'top' ? 'bot' : 'top')
    return within('groupChr', within('groupChrPr', properties) + argument('e', base))
  }
  if (place === 'top' && node.attributes.accent === 'true')
    return within('acc', within('accPr', value('chr', ACCENTS[symbol] ?? symbol)) + argument('e', base))
  return within(place === 'top' ? 'limUpp' : 'limLow', argument('e', base) + argument('lim', mark))
}

function table(node: MathElement): string {
  const rows = elementsIn(node).map(elementsIn)
  const columns = Math.max(1, ...rows.map(({ length }) => length))
  const alignments = (node.attributes.columnalign ?? '').split(' ')
  const columnOf = (index: number): string => {
    const alignment = alignments[index] ?? alignments.at(-1)
    const side = alignment === 'left' || alignment === 'right' ? alignment : 'center'
    return within('mc', within('mcPr', value('count', '1') + value('mcJc', side)))
  }
  // Aligned equations have no gap at the sign.
  const gap = node.attributes.columnspacing?.startsWith('0em') ? value('cGpRule', '3') + value('cGp', '0') : ''
  const list = within('mcs', Array.from({ length: columns }, (_, index) => columnOf(index)).join(''))
  const properties = within('mPr', value('baseJc', 'center') + value('plcHide', '1') + gap + list)
  // LibreOffice expects an operand before the sign.
  const content = (cell: MathElement | undefined): string => within('e', run('\u200b') + (cell ? row([cell]) : ''))
  const cells = rows.map((cell) =>
    within('mr', Array.from({ length: columns }, (_, index) => content(cell[index])).join('')),
  )
  return within('m', properties + cells.join(''))
}

/** One element of MathML Core as OMML; the content of an unknown one. */
function omml(node: MathElement): string {
  const [first, second, third] = elementsIn(node)
  const text = symbolOf(node)
  switch (node.name) {
    case 'mi':
      return run(text, node.attributes.mathvariant === 'normal' || [...text].length > 1 ? '<m:sty m:val="p"/>' : '')
    case 'mn':
    case 'mo':
      return run(text)
    case 'mtext':
    case 'ms':
      return run(textOf(node), '<m:nor/>')
    case 'mspace':
      return run(Number.parseFloat(node.attributes.width ?? '0') >= 0.9 ? '\u2003' : '\u2009')
    case 'mfrac': {
      const bar = /^0(\D|$)/.test(node.attributes.linethickness ?? '') ? 'noBar' : 'bar'
      return within('f', within('fPr', value('type', bar)) + argument('num', first) + argument('den', second))
    }
    case 'msqrt':
      return within('rad', `${within('radPr', value('degHide', '1'))}<m:deg/>${within('e', row(elementsIn(node)))}`)
    case 'mroot':
      return within('rad', argument('deg', second) + argument('e', first))
    case 'msub':
      return within('sSub', argument('e', first) + argument('sub', second))
    case 'msup':
      return within('sSup', argument('e', first) + argument('sup', second))
    case 'msubsup':
      return within('sSubSup', argument('e', first) + argument('sub', second) + argument('sup', third))
    case 'mover':
      return marked(node, 'top')
    case 'munder':
      return marked(node, 'bot')
    case 'munderover': {
      const below = within('limLow', argument('e', first) + argument('lim', second))
      return within('limUpp', within('e', below) + argument('lim', third))
    }
    case 'mtable':
      return table(node)
    case 'menclose':
      return within('borderBox', within('e', row(elementsIn(node))))
    case 'mphantom':
      return within('phant', within('phantPr', value('show', '0')) + within('e', row(elementsIn(node))))
    case 'annotation':
    case 'annotation-xml':
      return ''
    default:
      return row(elementsIn(node))
  }
}

const NAMESPACE = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'

/** A `math` element as an equation of Office (ISO/IEC 29500-1, 22.1). @param isDisplay on a line of its own */
export function officeMath(math: MathElement, isDisplay: boolean): string {
  const equation = within('oMath', row(elementsIn(math)))
  const xml = isDisplay ? within('oMathPara', equation) : equation
  return xml.replace(/^<m:\w+/, `$& ${NAMESPACE}`)
}
