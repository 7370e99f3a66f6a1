import type { Inline, Marks, TextRun } from '../../engines/documents/rich-text.ts'

const NAMES: readonly (keyof Marks)[] = [
  'bold',
  'italic',
  'underline',
  'strike',
  'code',
  'position',
  'size',
  'font',
  'color',
  'link',
]

/** Whether two runs have the same formatting and the same link. */
export function sameMarks(one: Marks, other: Marks): boolean {
  return NAMES.every((name) => one[name] === other[name])
}

/** White space in HTML: any amount is one space, also across runs, and none is kept next to a line break. */
export function joined(inlines: readonly Inline[]): Inline[] {
  const result: Inline[] = []
  let endsWithSpace = true
  for (const inline of inlines) {
    if (inline.kind !== 'text') {
      if (inline.kind === 'break') trimEnd(result)
      result.push(inline)
      endsWithSpace = inline.kind === 'break'
      continue
    }
    let text = inline.text.replace(/[ \t\r\n\f]+/g, ' ')
    if (endsWithSpace) text = text.replace(/^ /, '')
    if (text === '') continue
    endsWithSpace = text.endsWith(' ')
    addText(result, { ...inline, text })
  }
  return result
}

/** Appends a run to others, merging it with the last one if they have the same formatting. */
export function addText(inlines: Inline[], run: TextRun): void {
  const last = inlines.at(-1)
  if (last?.kind === 'text' && sameMarks(last, run))
    inlines[inlines.length - 1] = { ...last, text: last.text + run.text }
  else inlines.push(run)
}

function trimEnd(inlines: Inline[]): void {
  const last = inlines.at(-1)
  if (last?.kind !== 'text') return
  const text = last.text.replace(/ $/, '')
  if (text === '') inlines.pop()
  else inlines[inlines.length - 1] = { ...last, text }
}

/** Removes a trailing space or line break. */
export function trimmed(inlines: readonly Inline[]): Inline[] {
  const result = [...inlines]
  while (result.length > 0) {
    const { length } = result
    trimEnd(result)
    if (result.at(-1)?.kind === 'break') result.pop()
    else if (result.length === length) break
  }
  return result
}
