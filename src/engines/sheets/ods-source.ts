/** Characters that the library treats as separators in OpenDocument formulas even inside a text. */
const SEPARATORS = [';', '~', '|']

/** Their placeholders while the library reads: private use code points (Unicode, 23.5). */
const FIRST_PLACEHOLDER = 0xf7e0

/** A formula, and a text in it, as written in XML: `of:=IF([.A1]=&quot;a;b&quot;;1;2)`. */
const FORMULA = /\btable:formula="([^"]*)"/g
const TEXT = /&quot;[^&]*(?:&(?!quot;)[^&]*)*&quot;/g

/** The content of an OpenDocument spreadsheet with placeholders for separators in formula texts. */
export function guardedFormulas(content: string): string {
  return content.replace(FORMULA, (whole, formula: string) =>
    formula.includes('&quot;') ? `table:formula="${formula.replace(TEXT, guarded)}"` : whole,
  )
}

function guarded(text: string): string {
  // The semicolon of an XML entity is not part of the text.
  return text.replace(/&\w+;|[;~|]/g, (sign) => {
    const index = SEPARATORS.indexOf(sign)
    return index < 0 ? sign : String.fromCharCode(FIRST_PLACEHOLDER + index)
  })
}

/** Restores the original texts in a formula that the library has read. */
export function restoredFormula(formula: string): string {
  return formula.replace(
    /[\uf7e0-\uf7e2]/g,
    (placeholder) => SEPARATORS[placeholder.charCodeAt(0) - FIRST_PLACEHOLDER]!,
  )
}

const TAG = /<(style:style|style:table-properties|table:table)(?=[\s/>])([^<>]*)>/g

/** The hidden state of each sheet, in order (OpenDocument 1.3, part 3, 19.651). */
export function hiddenSheets(content: string): boolean[] {
  const hidden = new Set<string>()
  const sheets: boolean[] = []
  let style = ''
  for (const [, name, attributes = ''] of content.matchAll(TAG)) {
    const value = (key: string): string => new RegExp(`\\b${key}="([^"]*)"`).exec(attributes)?.[1] ?? ''
    if (name === 'style:style') style = value('style:name')
    else if (name === 'table:table') sheets.push(hidden.has(value('table:style-name')))
    else if (value('table:display') === 'false') hidden.add(style)
  }
  return sheets
}
