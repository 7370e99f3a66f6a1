/** A formula without an OpenDocument equivalent: structured references and other files. */
export class NoFormula extends Error {}

/** Excel functions missing in OpenFormula: programs recognise them by this prefix, as all whose name has a dot. */
const MICROSOFT = new Set(
  (
    'AGGREGATE ARRAYTOTEXT CEILING CHOOSECOLS CHOOSEROWS CONCAT DROP ENCODEURL EXPAND FILTER FILTERXML FLOOR HSTACK IFS LET MAXIFS ' +
    'MINIFS RANDARRAY SEQUENCE SORT SORTBY SWITCH TAKE TEXTAFTER TEXTBEFORE TEXTJOIN TEXTSPLIT TOCOL TOROW UNIQUE VSTACK ' +
    'WEBSERVICE WRAPCOLS WRAPROWS XLOOKUP XMATCH'
  ).split(' '),
)

const CELL = String.raw`\$?[A-Za-z]{1,3}\$?\d{1,7}`
const RANGE = String.raw`(?:${CELL}(?::${CELL})?|\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}|\$?\d{1,7}:\$?\d{1,7})`
/** Excludes parts of names and functions: LOG10(. */
const END = String.raw`(?![\w.(!$])`
const TOKEN = new RegExp(
  [
    '(?<text>"(?:[^"]|"")*")',
    String.raw`(?:(?<sheet>'(?:[^']|'')+'|[\p{L}_][\p{L}\p{N}_.]*)!)?(?<range>${RANGE})${END}`,
    '(?<error>#[A-Z0-9/]+[!?]?)',
    String.raw`(?<name>[\p{L}_\\][\p{L}\p{N}_.\\?]*)`,
    String.raw`(?<number>\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)`,
    '(?<sign>[\\s\\S])',
  ].join('|'),
  'gu',
)

/** The part of a reference: `A1` becomes `.A1`. */
function reference(sheet: string | undefined, range: string): string {
  const [from, to] = range.split(':')
  if (sheet?.includes('[')) throw new NoFormula(sheet)
  const table = sheet === undefined ? '' : `$'${sheet.replace(/^'|'$/g, '')}'`
  return `[${table}.${from}${to === undefined ? '' : `:.${to}`}]`
}

function functionName(name: string): string {
  const bare = name.replace(/^_xlfn\.(?:_xlws\.)?/i, '').toUpperCase()
  return MICROSOFT.has(bare) || (bare.includes('.') && bare !== 'ERROR.TYPE') ? `COM.MICROSOFT.${bare}` : bare
}

/**
 * Converts an Excel formula to OpenFormula (OpenDocument 1.3, part 4), without the equals sign.
 * @throws NoFormula
 */
export function odsFormula(formula: string): string {
  let result = ''
  let inArray = false
  for (const { groups, index, 0: whole } of formula.matchAll(TOKEN)) {
    const { range, sheet, name, sign } = groups!
    if (range !== undefined) result += reference(sheet, range)
    else if (name !== undefined) result += formula[index + name.length] === '(' ? functionName(name) : name
    else if (sign === '[' || sign === '!') throw new NoFormula(formula)
    else if (sign === '{' || sign === '}') {
      inArray = sign === '{'
      result += sign
    } else if (sign === ',') result += ';'
    else if (sign === ';' && inArray) result += '|'
    else result += whole
  }
  return `of:=${result}`
}
