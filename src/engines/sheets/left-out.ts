/** A part of a spreadsheet's package. */
export interface PackagePart {
  path: string
  text(): string
}

/** Whether a cell style differs from the default. */
function hasLooks(styles: string): boolean {
  const start = styles.indexOf('<cellXfs')
  const used = styles.slice(start, styles.indexOf('</cellXfs>', start))
  return start >= 0 && /(?:fontId="[1-9]|fillId="(?:[2-9]|\d\d)|borderId="[1-9])/.test(used)
}

/** Content that the library does not read: a part of the package, or markup in one. */
const LEFT_PARTS: readonly (readonly [what: string, part: RegExp, has?: (text: string) => boolean])[] = [
  ['fonts, colours and borders', /^xl\/styles\.xml$/, hasLooks],
  ['conditional formats', /^xl\/worksheets\//, (text) => text.includes('<conditionalFormatting')],
  ['rules for what may be entered', /^xl\/worksheets\//, (text) => text.includes('<dataValidation ')],
  ['charts', /^(?:xl\/(?:charts|chartsheets)\/|Object [^/]*\/content\.xml)/],
  ['pictures', /^(?:xl\/media\/|Pictures\/)/],
  ['pivot tables', /^xl\/pivotTables\//],
  ['macros', /(?:^xl\/vbaProject\.bin|^Basic\/)/],
  ['controls', /^xl\/ctrlProps\//],
]

/** Descriptions of package content that a conversion loses. */
export function leftOutOf(parts: readonly PackagePart[]): string[] {
  return LEFT_PARTS.flatMap(([what, wanted, has]) =>
    parts.some(({ path, text }) => wanted.test(path) && (!has || has(text()))) ? [what] : [],
  )
}
